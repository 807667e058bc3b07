// Reads what a collector received: OTLP over HTTP in JSON (opentelemetry-proto, trace.proto).
import type { ReceivedRequest } from '@parley/testing';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly {
        readonly key: string;
        readonly value: { readonly stringValue?: string };
      }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ReceivedSpan, 'service'>[] }[];
  }[];
}

export function readSpans(requests: readonly ReceivedRequest[]): ReceivedSpan[] {
  return requests.flatMap(({ body }) =>
    (JSON.parse(body.toString()) as OtlpTraces).resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const named = resource.attributes.find(({ key }) => key === 'service.name');
      const service = named?.value.stringValue ?? '';
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
    }),
  );
}

/**
 * The names of the spans from the one below `above` down to the one called `last`. Undefined while
 * one of them is missing.
 */
export function findWay(
  spans: readonly ReceivedSpan[],
  above: { readonly traceId: string; readonly spanId: string },
  last: string,
): readonly string[] | undefined {
  const ofTrace = spans.filter(({ traceId }) => traceId === above.traceId);
  const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
  const way: string[] = [];
  let span = ofTrace.find(({ name }) => name === last);
  while (span !== undefined) {
    way.unshift(`${span.service}: ${span.name}`);
    if (span.parentSpanId === above.spanId) return way;
    span = byId.get(span.parentSpanId ?? '');
  }
  return undefined;
}
