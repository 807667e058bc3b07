// The span of one attempt at a delivery.
import { inSpan, startCausedSpan } from '@parley/server/tracing';
import type { AttemptResult, ClaimedDelivery } from './delivery-table.ts';

/** Makes an attempt. Where its trace is recorded, the receiver gets the attempt as its parent. */
export function traceAttempt(
  claimed: ClaimedDelivery,
  make: (claimed: ClaimedDelivery) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  const span = startCausedSpan(claimed.traceparent, () => ({
    name: `send ${claimed.channel}`,
    kind: 'client',
    attributes: {
      'http.request.resend_count': claimed.attempts - 1,
      'parley.delivery_id': claimed.id,
      'parley.notification_id': claimed.notificationId,
      'parley.organization_id': claimed.organizationId,
    },
  }));
  const traced = span === undefined ? claimed : { ...claimed, traceparent: span.traceparent };
  return inSpan(
    span,
    () => make(traced),
    ({ outcome }) => {
      if (!('errorClass' in outcome)) return {};
      const { httpStatus, errorClass } = outcome;
      return {
        attributes: httpStatus === undefined ? {} : { 'http.response.status_code': httpStatus },
        failure: errorClass,
      };
    },
  );
}
