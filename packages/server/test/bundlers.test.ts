import { describe, expect, it } from "vitest";
import { Bundlers } from "../src/bundlers.ts";

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Bundles that end when the test says so. */
function bundles(): {
  make: (name: string) => () => Promise<string>;
  begun: string[];
  end: (name: string) => void;
} {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    make: (name) => () => {
      begun.push(name);
      return new Promise((done) => ends.set(name, () => done(name)));
    },
    end: (name) => ends.get(name)!(),
  };
}

describe("Bundlers", () => {
  // One tenant sends many large packs at once, so that all others wait for both bundlers.
  it("leave a bundler to others while one tenant sends 40 packs, and refuse only that tenant", async () => {
    const { make, begun, end } = bundles();
    const bundlers = new Bundlers();
    const loud = {};
    const results = Array.from({ length: 40 }, (_, at) =>
      bundlers.run(loud, make(`loud ${at}`)).catch((error: { code: string }) => error.code),
    );
    await settled();
    expect(begun).toEqual(["loud 0"]);
    const quiet = bundlers.run({}, make("quiet"));
    await settled();
    expect(begun).toEqual(["loud 0", "quiet"]);
    end("quiet");
    expect(await quiet).toBe("quiet");
    for (let at = 0; at < 33; at++) {
      end(`loud ${at}`);
      await settled();
    }
    const codes = await Promise.all(results);
    expect(codes.filter((code) => code === "queue-full")).toHaveLength(7);
    expect(codes.slice(0, 33)).toEqual(Array.from({ length: 33 }, (_, at) => `loud ${at}`));
  });

  it("go to a third tenant next where two have sent many", async () => {
    const { make, begun, end } = bundles();
    const bundlers = new Bundlers();
    const [one, two] = [{}, {}];
    for (let at = 0; at < 10; at++) {
      void bundlers.run(one, make(`one ${at}`));
      void bundlers.run(two, make(`two ${at}`));
    }
    void bundlers.run({}, make("quiet"));
    await settled();
    expect(begun).toEqual(["one 0", "two 0"]);
    end("one 0");
    await settled();
    end("two 0");
    await settled();
    expect(begun.slice(2)).toContain("quiet");
  });

  it("are free again after work that fails", async () => {
    const bundlers = new Bundlers();
    const tenant = {};
    for (let at = 0; at < 5; at++) {
      await expect(bundlers.run(tenant, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    }
    expect(await bundlers.run(tenant, async () => 1)).toBe(1);
  });
});
