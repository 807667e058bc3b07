// The state of a webhook and of a delivery, in words and a colour.
import { Badge, type Tone } from '../ui/badge.tsx';
import type { Attempt, Webhook } from './api.ts';
import { meaningOf, type DeliveryStatus } from './catalogue.ts';

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
    <Badge tone={TONES[status]} title={meaningOf(status)}>
      {status}
    </Badge>
  );
}

export function WebhookBadge({ of }: { of: Webhook }) {
  return of.status === 'active' ? <Badge tone="good">active</Badge> : <Badge tone="bad">disabled</Badge>;
}

/** What came of an attempt: its status, or why there was none. */
export function outcomeOf({ status, error_class }: Pick<Attempt, 'status' | 'error_class'>): string {
  const failed =
    error_class === null || error_class === 'http_status' ? '' : error_class.replaceAll('_', ' ');
  return [status === null ? '' : String(status), failed].filter(Boolean).join(' · ');
}
