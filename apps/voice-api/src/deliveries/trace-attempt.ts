// The span of one attempt at a delivery.
import { inSpan, startCausedSpan } from '@parley/server/tracing';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { AttemptOutcome } from './delivery-request.ts';

/** Makes an attempt. Where its trace is recorded, the receiver gets the attempt as its parent. */
export function traceAttempt(
  delivery: ClaimedDelivery,
  attempt: number,
  make: (delivery: ClaimedDelivery) => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
  const { source } = delivery;
  const span = startCausedSpan(source.traceparent, () => ({
    name: `deliver ${delivery.kind}`,
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempt - 1,
      'parley.delivery_id': delivery.id,
      'parley.event': delivery.event,
      'parley.organization_id': source.organizationId,
    },
  }));
  const traced =
    span === undefined ? delivery : { ...delivery, source: { ...source, traceparent: span.traceparent } };
  return inSpan(
    span,
    () => make(traced),
    ({ attempt: { status, errorClass } }) => ({
      attributes: status === null ? {} : { 'http.response.status_code': status },
      failure: errorClass ?? undefined,
    }),
  );
}
