import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A wire to a port that can be cut: nothing gets through then, and neither end is notified. */
export class CutProxy {
  readonly port: number;
  private isCut = false;
  private readonly server: Server;
  private readonly sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.server = server;
    this.sockets = sockets;
    this.port = (server.address() as { port: number }).port;
  }

  static async open(target: number): Promise<CutProxy> {
    const sockets = new Set<Socket>();
    let proxy: CutProxy | null = null;
    const server = createServer((near) => {
      const far = connect(target, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on("data", (data) => {
          if (!proxy?.isCut) to.write(data);
        });
        from.on("error", () => undefined);
        from.on("close", () => {
          sockets.delete(from);
          to.destroy();
        });
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    proxy = new CutProxy(server, sockets);
    return proxy;
  }

  cut(): void {
    this.isCut = true;
  }

  /** Lets new connections through; what was on the old ones is lost with them. */
  mend(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, "close");
  }
}
