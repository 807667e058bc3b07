// Sends the traces of a service to the collector of its configuration.
import type { Lifecycle, Secrets, ServiceName } from '@parley/server/runtime';
import { startTracing } from '@parley/server/tracing';
import type { PlatformConfig } from './config.ts';

export async function traceTo(
  config: PlatformConfig,
  service: ServiceName,
  secrets: Secrets,
  life: Lifecycle,
): Promise<void> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return;
  const reference = config.OTEL_EXPORTER_OTLP_HEADERS;
  const headers = reference === undefined ? {} : parseHeaders((await secrets.resolve(reference)).reveal());
  const stop = await startTracing({ service, endpoint, headers, ratio: config.OTEL_TRACES_SAMPLER_ARG });
  life.onStop('traces', stop);
}

/** `name=value`, comma-separated, values percent-encoded (OpenTelemetry's specification). */
function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
