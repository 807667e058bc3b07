// The OpenTelemetry SDK with its exporter. A module of its own, since a bundle that is split cannot
// load parts of a CommonJS package by name.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

export interface TracingOptions {
  /** `service.name` of the spans. */
  readonly service: string;
  /** Base URL of a collector that speaks OTLP over HTTP; `/v1/traces` is added. */
  readonly endpoint: string;
  /** Headers of each request to the collector, such as its credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the traces that is recorded, from 0 to 1. */
  readonly ratio: number;
}

/** The collector is near; a stop waits this long for the last spans. */
const EXPORT_WITHIN_MS = 3_000;

export function createProvider({ service, endpoint, headers }: TracingOptions): BasicTracerProvider {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: EXPORT_WITHIN_MS,
  });
  return new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
    forceFlushTimeoutMillis: EXPORT_WITHIN_MS,
  });
}
