// The metrics registry of one service: created in deps.ts, counted everywhere, served at /metrics.
import { setTimeout as delay } from 'node:timers/promises';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type Metric,
  type OpenMetricsContentType,
} from 'prom-client';

/** Seconds. From a cached answer to the request deadline of 30 s. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds. Jobs call other machines and may take up to their own deadline. */
const JOB_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** Timeout of a collector that asks Redis or Postgres; then the scrape omits its metric. */
const COLLECT_TIMEOUT_MS = 2_000;

export interface Metrics {
  readonly registry: Registry<OpenMetricsContentType>;
  /**
   * Counts one served request. `route` is the endpoint's path template, never a concrete path.
   * `traceId` is that of a recorded trace, the exemplar of its bucket.
   */
  observeRequest(method: string, route: string, status: number, seconds: number, traceId?: string): void;
  /** Counts one finished job. */
  observeJob(queue: string, outcome: string, seconds: number): void;
  /** A counter of the service. */
  counter(name: string, help: string, labels: readonly string[]): Counter;
  /** A gauge of the service. `collect` reads it at scrape time. */
  gauge(
    name: string,
    help: string,
    labels: readonly string[],
    collect?: (gauge: Gauge) => Promise<void> | void,
  ): Gauge;
  /** A histogram of the service. */
  histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Durations;
  /**
   * The Prometheus text of everything that could be collected. Never throws
   * (docs/platform.md#operations-endpoints).
   */
  text(): Promise<string>;
  /** The same as OpenMetrics, which has the exemplars. */
  openMetricsText(): Promise<string>;
}

/** A histogram in seconds. `traceId` is that of a recorded trace, the exemplar of its bucket. */
export interface Durations {
  observe(labels: Readonly<Record<string, string>>, seconds: number, traceId?: string): void;
}

export const { PROMETHEUS_CONTENT_TYPE, OPENMETRICS_CONTENT_TYPE } = Registry;

export function createMetrics(service: string): Metrics {
  const registry = createOpenRegistry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const jobs = new Histogram({
    name: 'job_duration_seconds',
    help: 'Duration of a queue job, by its outcome',
    labelNames: ['queue', 'outcome'],
    buckets: JOB_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'metrics_collect_failures_total',
    help: 'Metrics omitted from a scrape because their collector failed',
    labelNames: ['metric'],
    registers,
  });
  const source: Source = { registry, service, failures };

  return {
    registry,
    observeRequest: createRequestObserver(registry),
    observeJob: (queue, outcome, seconds) => jobs.observe({ queue, outcome }, seconds),
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames: [...labelNames], registers }),
    gauge: (name, help, labelNames, collect) =>
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers,
        ...(collect
          ? {
              collect() {
                return collect(this);
              },
            }
          : {}),
      }),
    histogram: (name, help, labelNames, buckets) => {
      const enableExemplars = true;
      const options = { name, help, labelNames: [...labelNames], buckets: [...buckets], registers };
      const histogram = new Histogram({ ...options, enableExemplars });
      return {
        observe: (labels, value, traceId) =>
          histogram.observe({ labels, value, exemplarLabels: toExemplar(traceId) }),
      };
    },
    text: () => renderText(source),
    openMetricsText: () => renderOpenMetrics(source),
  };
}

interface Source {
  readonly registry: Metrics['registry'];
  readonly service: string;
  /** Counts metrics that could not be collected. */
  readonly failures: Counter;
}

async function renderText(source: Source): Promise<string> {
  const rendered = new Registry();
  for (const metric of listMetrics(source.registry)) rendered.registerMetric(metric);
  const texts = await collectAll(source, rendered, (name) => `# ${name} could not be collected`);
  return `${texts.join('\n\n')}\n`;
}

async function renderOpenMetrics(source: Source): Promise<string> {
  const rendered = createOpenRegistry();
  for (const metric of listMetrics(source.registry)) rendered.registerMetric(toOpenMetric(metric));
  const texts = await collectAll(source, rendered, () => ''); // this format has no comments
  return `${texts.filter((text) => text !== '').join('\n')}\n# EOF\n`;
}

function listMetrics(registry: Source['registry']): Metric[] {
  return registry.getMetricsAsArray().map(({ name }) => registry.getSingleMetric(name)!);
}

/** The texts of all metrics; `describeMissing` where one cannot be collected in time. */
function collectAll(
  { service, failures }: Source,
  rendered: Registry | Registry<OpenMetricsContentType>,
  describeMissing: (name: string) => string,
): Promise<string[]> {
  rendered.setDefaultLabels({ service });
  return Promise.all(
    rendered.getMetricsAsArray().map(({ name }) =>
      collectInTime(rendered.getSingleMetricAsString(name)).catch(() => {
        failures.inc({ metric: name });
        return describeMissing(name);
      }),
    ),
  );
}

/** Only a registry of this type takes histograms with exemplars. */
function createOpenRegistry(): Registry<OpenMetricsContentType> {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(OPENMETRICS_CONTENT_TYPE);
  return registry;
}

/** In this format a counter lacks `_total`, which the registry adds to its samples. */
function toOpenMetric(metric: Metric): Metric {
  const { name } = metric as unknown as { readonly name: string };
  const family = metric instanceof Counter ? name.replace(/_total$/, '') : name;
  const get = async () => ({ ...(await metric.get()), name: family });
  return { name, get } as unknown as Metric;
}

const toExemplar = (traceId: string | undefined) => (traceId === undefined ? {} : { trace_id: traceId });

function createRequestObserver(registry: Metrics['registry']): Metrics['observeRequest'] {
  const requests = new Histogram<string>({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers: [registry],
    enableExemplars: true,
  });

  // Finding a labelled child costs more than observing into it, and there are few routes and
  // statuses. Three maps, because joining a name for every request costs more than the observation.
  type Child = { observe(seconds: number): void };
  const requestChildren = new Map<string, Map<string, Map<number, Child>>>();

  function newRequestChild(method: string, route: string, status: number): Child {
    const byMethod = requestChildren.get(route) ?? new Map<string, Map<number, Child>>();
    const byStatus = byMethod.get(method) ?? new Map<number, Child>();
    const child = requests.labels({ method, route, status: String(status) });
    requestChildren.set(route, byMethod.set(method, byStatus.set(status, child)));
    return child;
  }

  return (method, route, status, value, traceId) => {
    if (traceId !== undefined) {
      const labels = { method, route, status: String(status) };
      return requests.observe({ labels, value, exemplarLabels: toExemplar(traceId) });
    }
    const known = requestChildren.get(route)?.get(method)?.get(status);
    (known ?? newRequestChild(method, route, status)).observe(value);
  };
}

/** Rejects when a metric cannot be collected in time. */
async function collectInTime(text: Promise<string>): Promise<string> {
  const late = delay(COLLECT_TIMEOUT_MS, undefined, { ref: false });
  const collected = await Promise.race([text, late]);
  if (collected === undefined) throw new Error(`no answer within ${COLLECT_TIMEOUT_MS} ms`);
  return collected;
}
