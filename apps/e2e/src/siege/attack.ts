// What an attack is: the worst that somebody with a key can think of, one request or a load that goes on, as data. run-siege.ts makes it,
// while it watches the process and another organisation. Another service adds a list of its own in attacks.ts.
import type { ServiceName } from '@parley/dev/stack';
import type { Receiver } from '@parley/testing';
import type { Answer, AttackRequest } from './send.ts';

/** The console is besieged as it passes requests on to the flow builder and to notifications. */
export type Besieged = ServiceName | 'console';

/** Where a load goes on. */
export interface Field {
  readonly origin: string;
  /** A key of the attacker. */
  readonly key: string;
  readonly ask: (request: AttackRequest) => Promise<Answer>;
  /** Takes whatever the attacker has sent to it, and answers nothing at `SILENT_PATH`. */
  readonly receiver: Receiver;
  /** Addresses of other receivers, which take a connection and never answer. */
  readonly silent: readonly string[];
  /** Ends the process as a crash would, and starts it again in its place. */
  readonly kill: () => Promise<void>;
}

export const SILENT_PATH = '/silent';

interface Described {
  readonly name: string;
  readonly service: Besieged;
  /** The attacker is an organisation on this plan: enterprise, which limits least, where nothing is said. */
  readonly plan?: 'starter';
  /** Sent first, one after the other, and answered with success, or refused for their size. Made when they are sent: some are large. */
  readonly prepare?: (round: number) => Iterable<AttackRequest>;
  /** The same, before the first time alone: it finds again what it needs. */
  readonly prepareOnce?: () => Iterable<AttackRequest>;
  /** Statuses that are an answer; anything else, and silence, is a fall. */
  readonly expected: readonly number[];
  /** And what the answer has to say. */
  readonly says?: RegExp;
  /** Made again it would be milder: what once says has to do. */
  readonly once?: true;
  /** It kills processes itself: times, and requests that found none, are not judged. */
  readonly kills?: true;
  /** Many single requests one after the other: `/health` is judged, and the neighbour's times are not, since it is a load. */
  readonly derived?: true;
  /** Part of the short run in `npm test`. */
  readonly short?: true;
}

/** `round`: how often it was made before. What was taken or loaded once is no attack any more under the same name. */
export type Attack = Described &
  (
    | { readonly request: (round: number) => AttackRequest; readonly load?: never }
    /** Gives the answer that is judged; an error that it throws is a fall. */
    | { readonly load: (field: Field, round: number) => Promise<Answer>; readonly request?: never }
  );

export const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));
