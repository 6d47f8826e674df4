import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Value = { readonly [type: string]: unknown };
interface KeyValue {
  readonly key: string;
  readonly value: Value;
}

/** A span as it came, with its attributes as an object. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 1: internal, 2: server. */
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: { readonly [name: string]: unknown };
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface CollectedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: { readonly [name: string]: unknown };
  /** Of a counter its sum, of a histogram how many were counted. */
  readonly count: number;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** The last one of each metric and its attributes: sums and counts are cumulative. */
  readonly points: readonly CollectedPoint[];
  /** Everything that came, as text. */
  readonly raw: string;
}

/** Takes what an exporter sends by OTLP over HTTP as JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const points = new Map<string, CollectedPoint>();
  let raw = "";
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      raw += `${text}\n`;
      const body = JSON.parse(text);
      if (request.url === "/v1/traces") spans.push(...spansOf(body));
      if (request.url === "/v1/metrics") {
        for (const point of pointsOf(body)) {
          points.set(JSON.stringify([point.metric, point.attributes]), point);
        }
      }
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get points() {
      return [...points.values()];
    },
    get raw() {
      return raw;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

// oxlint-disable-next-line no-explicit-any -- what the exporter sends is looked at by the tests that use it
function spansOf(body: any): CollectedSpan[] {
  return body.resourceSpans.flatMap((resource: any) =>
    resource.scopeSpans.flatMap((scope: any) =>
      scope.spans.map((span: any) => ({
        ...span,
        parentSpanId: span.parentSpanId || undefined,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: plain(span.attributes ?? []),
        status: span.status ?? {},
      })),
    ),
  );
}

function pointsOf(body: any): CollectedPoint[] {
  return body.resourceMetrics.flatMap((resource: any) =>
    resource.scopeMetrics.flatMap((scope: any) =>
      scope.metrics.flatMap((metric: any) =>
        (metric.sum ?? metric.histogram ?? metric.gauge).dataPoints.map((point: any) => ({
          metric: metric.name,
          unit: metric.unit ?? "",
          attributes: plain(point.attributes ?? []),
          count: Number(point.count ?? point.asInt ?? point.asDouble),
        })),
      ),
    ),
  );
}

function plain(attributes: readonly KeyValue[]): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [type, content] = Object.entries(value)[0] ?? [];
      return [key, type === "intValue" ? Number(content) : content];
    }),
  );
}
