// The success of a webhook in the last 24 hours.
import type { ReactNode } from 'react';
import { Badge } from '../ui/badge.tsx';
import { formatDuration, Time } from '../ui/time.tsx';
import type { WebhookHealth } from './api.ts';
import { describeOutcome, formatRate, rateTone } from './status.tsx';

export function Health({ of: { deliveries, success_rate, p95_ms, last_error } }: { of: WebhookHealth }) {
  if (deliveries === 0) return null;
  return (
    <dl aria-label="Last 24 hours" className="flex flex-wrap gap-x-6 gap-y-1">
      <Figure name="Deliveries, 24 h">{deliveries}</Figure>
      {success_rate !== null && (
        <Figure name="Attempts delivered">
          <Badge tone={rateTone(success_rate)}>{formatRate(success_rate)}</Badge>
        </Figure>
      )}
      {p95_ms !== null && <Figure name="p95 latency">{formatDuration(p95_ms)}</Figure>}
      {last_error && (
        <Figure name="Last failure">
          <Time at={last_error.at} />, {describeOutcome(last_error) || last_error.message}
        </Figure>
      )}
    </dl>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-1.5 tabular-nums">
      <dt className="text-ink-2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
