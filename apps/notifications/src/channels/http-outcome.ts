// What the answer to one POST means for a delivery, and what a secret that cannot be read does.
import type { Outcome as Answer } from '@parley/outbound';
import type { SecretKey } from '@parley/organizations';
import { isRetryable } from '../notify/outcome.rules.ts';
import type { Outcome } from './channel.ts';

/** `success` is what a 2xx means on this channel. Nothing that the other side wrote is taken over. */
export function outcomeOf(answer: Answer, success: 'sent' | 'delivered'): Outcome {
  if (answer.ok) return { kind: success, httpStatus: answer.status };
  const { errorClass, status, retryAfterMs } = answer;
  const message = errorClass === 'http_status' ? `The receiver answered ${status}.` : answer.message;
  const facts = { errorClass, message, httpStatus: status };
  return isRetryable(errorClass, status)
    ? { kind: 'retry', ...facts, retryAfterMs }
    : { kind: 'final', status: 'failed', ...facts };
}

/** A reference that leads nowhere may lead somewhere again. */
export function secretUnavailable(key: SecretKey): Outcome {
  return {
    kind: 'retry',
    errorClass: 'secret_unavailable',
    message: `The secret ${key} cannot be read at the moment.`,
  };
}
