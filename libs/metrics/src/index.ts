export { createMetrics, OPENMETRICS_CONTENT_TYPE, PROMETHEUS_CONTENT_TYPE, type Metrics } from './metrics.ts';
