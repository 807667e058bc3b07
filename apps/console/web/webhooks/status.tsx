// Badges for the states of webhooks and deliveries.
import { Badge, type Tone } from '../ui/badge.tsx';
import type { Attempt, Webhook } from './api.ts';
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

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  return (
    <Badge tone={TONES[status]} title={describeStatus(status)}>
      {status}
    </Badge>
  );
}

export function WebhookBadge({ of }: { of: Webhook }) {
  return of.status === 'active' ? <Badge tone="good">active</Badge> : <Badge tone="bad">disabled</Badge>;
}

/** The status of the response, or why there was none. */
export function describeOutcome({ status, error_class }: Pick<Attempt, 'status' | 'error_class'>): string {
  const failed =
    error_class === null || error_class === 'http_status' ? '' : error_class.replaceAll('_', ' ');
  return [status === null ? '' : String(status), failed].filter(Boolean).join(' · ');
}
