export {
  createMetrics,
  OPENMETRICS_CONTENT_TYPE,
  PROMETHEUS_CONTENT_TYPE,
  type Durations,
  type Metrics,
} from './metrics.ts';
