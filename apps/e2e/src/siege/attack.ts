// What an attack is: the worst single request that somebody with a key can think of, as data. run-siege.ts sends it, while it watches the
// process and another organisation. Another service adds a list of its own and its name in attacks.ts.
import type { ServiceName } from '@parley/local-stack';

export interface AttackRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the service's origin. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Attack {
  readonly name: string;
  readonly service: ServiceName;
  /** Sent first, one after the other, and answered with success, or refused for their size. Made when the attack begins: some are large. */
  readonly prepare?: () => readonly AttackRequest[];
  readonly request: () => AttackRequest;
  /** Statuses that are an answer; anything else, and silence, is a fall. */
  readonly expected: readonly number[];
  /** Part of the short run in `npm test`. */
  readonly short?: true;
}
