// The success of a webhook in the last 24 hours.
import type { ReactNode } from 'react';
import { Badge } from '../ui/badge.tsx';
import { formatDuration, Time } from '../ui/time.tsx';
import type { WebhookWithHealth } from './api.ts';
import { describeOutcome } from './status.tsx';

/** A lower success rate is highlighted. */
const SUCCESS_RATE_MIN = 0.95;

export function Health({ of: { deliveries, success_rate, p95_ms, last_error } }: { of: Health }) {
  if (deliveries === 0) return null;
  return (
    <dl aria-label="Last 24 hours" className="flex flex-wrap gap-x-6 gap-y-1">
      <Figure name="Deliveries, 24 h">{deliveries}</Figure>
      {success_rate !== null && (
        <Figure name="Attempts delivered">
          <Badge tone={success_rate >= SUCCESS_RATE_MIN ? 'good' : success_rate > 0 ? 'warn' : 'bad'}>
            {Math.floor(success_rate * 1000) / 10} %
          </Badge>
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

type Health = WebhookWithHealth['health'];

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-1.5 tabular-nums">
      <dt className="text-ink-2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
