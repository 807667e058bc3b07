// What the answer to one POST means for a delivery. Called by the channels that send over libs/outbound.
import type { Outcome as Answer } from '@parley/outbound';
import { isRetryable } from '../notify/outcome.rules.ts';
import type { Outcome } from './channel.ts';

/** `success` is what a 2xx means on this channel. Nothing that the other side wrote is taken over. */
export function outcomeOf(answer: Answer, success: 'sent' | 'delivered'): Outcome {
  if (answer.ok)
    return success === 'sent' ? { kind: 'sent', httpStatus: answer.status } : { kind: 'delivered' };
  const { errorClass, status, retryAfterMs } = answer;
  const message = errorClass === 'http_status' ? `The receiver answered ${status}.` : answer.message;
  const facts = { errorClass, message, httpStatus: status };
  return isRetryable(errorClass, status)
    ? { kind: 'retry', ...facts, retryAfterMs }
    : { kind: 'final', status: 'failed', ...facts };
}
