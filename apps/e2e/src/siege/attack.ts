// The types of an attack: one request or a load, as data. run-siege.ts runs it while it watches the
// process and another organisation. attacks.ts lists the attacks of every service.
import type { ServiceName } from '@parley/dev/stack';
import type { Receiver } from '@parley/testing';
import type { Answer, AttackRequest } from './send.ts';

/** The console is attacked through the requests that it forwards. */
export type TargetName = ServiceName | 'console';

/** What a load works with. */
export interface AttackContext {
  readonly origin: string;
  /** A key of the attacker. */
  readonly key: string;
  readonly ask: (request: AttackRequest) => Promise<Answer>;
  /** Answers 200, except at `SILENT_PATH`, where it never answers. */
  readonly receiver: Receiver;
  /** URLs of other receivers, which accept connections and never answer. */
  readonly silent: readonly string[];
  /** Kills the process and starts it again on the same port. */
  readonly kill: () => Promise<void>;
}

export const SILENT_PATH = '/silent';

interface AttackProperties {
  readonly name: string;
  readonly service: TargetName;
  /** The attacker's plan; default enterprise, which has the highest limits. */
  readonly plan?: 'starter';
  /**
   * Requests sent first, one after the other. Each must succeed, or be refused for its size. A
   * generator, because some are large.
   */
  readonly prepare?: (round: number) => Iterable<AttackRequest>;
  /** Like `prepare`, before the first round only. */
  readonly prepareOnce?: () => Iterable<AttackRequest>;
  /** Expected statuses. Any other status, or none, fails the siege. */
  readonly expected: readonly number[];
  /** The response body must match it. */
  readonly says?: RegExp;
  /** A repetition would be milder, so there is one round. */
  readonly once?: true;
  /** It kills processes itself, so times and failed requests do not count. */
  readonly kills?: true;
  /**
   * Many single requests in sequence: a load, so only `/health` is judged, not the other tenant's
   * times.
   */
  readonly derived?: true;
  /** Part of the short run in `npm test`. */
  readonly short?: true;
}

/**
 * `round` counts repetitions from 0. A repetition needs new names, because data that is stored or
 * cached makes an attack milder.
 */
export type Attack = AttackProperties &
  (
    | { readonly request: (round: number) => AttackRequest; readonly load?: never }
    /** Returns the answer to judge. An error that it throws fails the siege. */
    | { readonly load: (field: AttackContext, round: number) => Promise<Answer>; readonly request?: never }
  );

export const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));
