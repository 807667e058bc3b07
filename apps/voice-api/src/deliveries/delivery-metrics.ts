// Metrics of deliveries.
import type { Metrics } from '@parley/metrics';

export interface DeliveryMetrics {
  /** An attempt starts; its delivery was written `ageMs` ago. `traceId`: see Durations. */
  started(attempt: number, ageMs: number, traceId?: string): void;
  /** An attempt ended; null is success. */
  ended(errorClass: string | null): void;
  /** Webhooks were disabled after failed deliveries. */
  disabled(webhooks: number): void;
}

/** Seconds. The target is 0.25. */
const FIRST_ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60];

export function createDeliveryMetrics(metrics: Metrics): DeliveryMetrics {
  const outcomes = metrics.counter('webhook_attempts_total', 'Requests to webhooks by outcome', ['outcome']);
  const delivered = outcomes.labels({ outcome: 'delivered' });
  const disabled = metrics.counter(
    'webhooks_disabled_total',
    'Webhooks disabled after failed deliveries',
    [],
  );
  const firstAttempts = metrics.histogram(
    'webhook_first_attempt_delay_seconds',
    'Time from the creation of a delivery to the start of its first attempt',
    [],
    FIRST_ATTEMPT_BUCKETS,
  );
  return {
    started: (attempt, ageMs, traceId) => {
      if (attempt === 1) firstAttempts.observe({}, Math.max(0, ageMs) / 1000, traceId);
    },
    disabled: (webhooks) => disabled.inc(webhooks),
    ended: (errorClass) => {
      if (errorClass === null) delivered.inc();
      else outcomes.inc({ outcome: errorClass });
    },
  };
}
