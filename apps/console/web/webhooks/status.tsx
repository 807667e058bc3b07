// Badges for the states of webhooks and deliveries.
import { Badge, type Tone } from '../ui/badge.tsx';
import type { Attempt, Delivery, ListedDelivery, Webhook, WebhookHealth } from './api.ts';
import { describeStatus, type DeliveryStatus } from './catalogue.ts';

const TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'accent',
  delivered: 'good',
  skipped: 'warn',
  superseded: 'neutral',
  exhausted: 'bad',
  canceled: 'neutral',
  quarantined: 'bad',
};

/** Attempts of an event: five retries (docs/voice-api.md#schedule). */
const ATTEMPTS_MAX = 6;

type Failure = ListedDelivery['last_failure'];

/** The state of a delivery, with the reason while it fails. */
export function DeliveryBadge({ of: { status, attempts }, failure }: { of: Delivery; failure: Failure }) {
  const isRetried = status === 'pending' && failure !== null;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone={isRetried ? 'warn' : TONES[status]} title={describeStatus(status)}>
        {isRetried ? `Retrying (${attempts} of ${ATTEMPTS_MAX})` : status}
      </Badge>
      {failure && <span className="text-xs text-bad">{describeOutcome(failure)}</span>}
    </span>
  );
}

/** A lower success rate is highlighted. */
const SUCCESS_RATE_MIN = 0.95;

export const rateTone = (rate: number): Tone =>
  rate >= SUCCESS_RATE_MIN ? 'good' : rate > 0 ? 'warn' : 'bad';
export const formatRate = (rate: number): string => `${Math.floor(rate * 1000) / 10} %`;

/** Whether every attempt of the last 24 hours failed. */
export const isFailing = (of: Webhook, health: WebhookHealth | undefined): boolean =>
  of.status === 'active' && health?.success_rate === 0;

export function WebhookBadge({ of, health }: { of: Webhook; health: WebhookHealth | undefined }) {
  if (of.status !== 'active') return <Badge tone="bad">disabled</Badge>;
  return isFailing(of, health) ? <Badge tone="bad">failing</Badge> : <Badge tone="good">active</Badge>;
}

/** The HTTP status of the response, or why there was none. */
export function describeOutcome({ status, error_class }: Pick<Attempt, 'status' | 'error_class'>): string {
  const failed =
    error_class === null || error_class === 'http_status' ? '' : error_class.replaceAll('_', ' ');
  return [status === null ? '' : `HTTP ${status}`, failed].filter(Boolean).join(' · ');
}
