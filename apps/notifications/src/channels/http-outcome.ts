// Turns the answer to one POST, or an unreadable secret, into an outcome.
import type { Outcome as Answer } from '@parley/outbound';
import type { SecretKey } from '@parley/server/organizations';
import { isRetryable } from '../outcomes/retry-schedule.rules.ts';
import type { Outcome } from '../outcomes/outcome.ts';

/** `success` is the meaning of a 2xx on this channel. Copies nothing that the receiver wrote. */
export function toOutcome(answer: Answer, success: 'sent' | 'delivered'): Outcome {
  if (answer.ok) return { kind: success, httpStatus: answer.status };
  const { errorClass, status, retryAfterMs } = answer;
  const message = errorClass === 'http_status' ? `The receiver answered ${status}.` : answer.message;
  const facts = { errorClass, message, httpStatus: status };
  return isRetryable(errorClass, status)
    ? { kind: 'retry', ...facts, retryAfterMs }
    : { kind: 'final', status: 'failed', ...facts };
}

/** A retry: the reference may resolve again later. */
export function secretUnavailable(key: SecretKey): Outcome {
  return {
    kind: 'retry',
    errorClass: 'secret_unavailable',
    message: `The secret ${key} cannot be read at the moment.`,
  };
}
