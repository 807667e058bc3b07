// The account of a run: compares what was accepted with what was seen. Pure.

/** Kinds of items. One answer accepts an item; it must then be seen at least once. */
export const ITEM_KINDS = [
  'turns', //           answers of execute, in the transcript of their conversation
  'events', //          events of a batch, in the transcript of their conversation
  'webhooks', //        webhook events of both
  'chat',
  'webhook',
  'email',
  'in_app',
  'broadcast', //       a device of a broadcast
  'steps', //           channels that follow later
  'digest', //          sends combined into one
  'bulk', //            sends of one call
  'throttle', //        two sends with one key: one arrives
  'quiet', //           sends held until quiet hours end
  'workflow', //        sends whose channels and texts a workflow has
  'recurring', //       the only occurrence of a recurring send
  'clicks', //          clicks in the inbox, each counted once
  'recipient', //       mail to a stored recipient, whom its template names
  'topic', //           the item of the last member of a topic, which names the member
  'bounces', //         reported bounces: the delivery ends, and the address is suppressed once
  'versions', //        published versions, in the log of publications
  'keys', //            rotated keys that work
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Kinds that receivers or the watched inbox see on arrival. The others are read after the run. */
export const SEEN_ON_ARRIVAL: ReadonlySet<ItemKind> = new Set([
  'webhooks',
  'chat',
  'webhook',
  'email',
  'in_app',
  'broadcast',
  'steps',
  'digest',
  'bulk',
  'throttle',
  'quiet',
  'workflow',
  'recurring',
  'recipient',
  'topic',
  'keys',
]);

/** These begin with a minute, so their wait says nothing about recovery. */
const WAITING: ReadonlySet<ItemKind> = new Set(['quiet', 'recurring']);

/** Something that the load requested. */
export interface Item {
  readonly kind: ItemKind;
  /** Unique within its kind. */
  readonly id: string;
  readonly sentAtMs: number;
  /** When a success was answered. null: never, so it may have happened or not. */
  readonly acceptedAtMs: number | null;
}

/** An item that a receiver got or an API shows. */
export interface Sighting {
  readonly kind: ItemKind;
  /** The item's id. */
  readonly id: string;
  /** The id by which a receiver recognises a repetition; null without one. */
  readonly messageId: string | null;
  readonly atMs: number;
}

export interface KindAccount {
  readonly accepted: number;
  /** Accepted and seen. */
  readonly delivered: number;
  /** Accepted and never seen. */
  readonly lost: number;
  /** Sightings after the first of an item. */
  readonly duplicated: number;
  /** Duplicates without the id of the first sighting. */
  readonly unidentified: number;
  /** Sent without any successful answer. */
  readonly unknown: number;
  /** The longest time from sending to the first sighting; 0 when nothing was seen. */
  readonly slowestMs: number;
}

export interface Account {
  readonly kinds: Readonly<Record<ItemKind, KindAccount>>;
  /** `<kind> <id>` of lost items, in the order of sending. */
  readonly lost: readonly string[];
  readonly unidentified: readonly string[];
  /** Share of all sightings that are duplicates. */
  readonly duplicateShare: number;
}

export function accountFor(items: readonly Item[], sightings: readonly Sighting[]): Account {
  const seen = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    const key = formatName(sighting);
    const earlier = seen.get(key);
    if (earlier) earlier.push(sighting);
    else seen.set(key, [sighting]);
  }
  const lost = items
    .filter((item) => item.acceptedAtMs !== null && !seen.has(formatName(item)))
    .map(formatName);
  const unidentified: string[] = [];
  const repeated = new Map<ItemKind, { duplicated: number; unidentified: number }>();
  for (const [name, [first, ...more]] of seen) {
    const { kind, messageId } = first!;
    const strange = more.filter((other) => other.messageId === null || other.messageId !== messageId);
    const count = repeated.get(kind) ?? { duplicated: 0, unidentified: 0 };
    count.duplicated += more.length;
    count.unidentified += strange.length;
    repeated.set(kind, count);
    if (strange.length > 0) unidentified.push(name);
  }
  const kinds = Object.fromEntries(
    ITEM_KINDS.map((kind): [ItemKind, KindAccount] => {
      const own = items.filter((item) => item.kind === kind);
      const accepted = own.filter((item) => item.acceptedAtMs !== null);
      const delivered = accepted.filter((item) => seen.has(formatName(item))).length;
      const { duplicated, unidentified: strange } = repeated.get(kind) ?? { duplicated: 0, unidentified: 0 };
      return [
        kind,
        {
          accepted: accepted.length,
          delivered,
          lost: accepted.length - delivered,
          duplicated,
          unidentified: strange,
          unknown: own.length - accepted.length,
          slowestMs: accepted.reduce((most, item) => {
            const atMs = seen.get(formatName(item))?.[0]?.atMs;
            return atMs === undefined ? most : Math.max(most, atMs - item.sentAtMs);
          }, 0),
        },
      ];
    }),
  ) as Record<ItemKind, KindAccount>;
  const duplicated = Object.values(kinds).reduce((sum, kind) => sum + kind.duplicated, 0);
  return { kinds, lost, unidentified, duplicateShare: duplicated / Math.max(1, sightings.length) };
}

const formatName = ({ kind, id }: { kind: ItemKind; id: string }): string => `${kind} ${id}`;

/**
 * When everything worked again after `sinceMs`: every service was ready, and an item of every kind,
 * sent afterwards, was accepted and seen. null: not yet. Webhooks show turns and events; answers
 * show versions, keys, clicks and bounces.
 */
export function findRecoveryMs(
  sinceMs: number,
  items: readonly Item[],
  sightings: readonly Sighting[],
  allReadyAtMs: readonly number[],
): number | null {
  const ready = allReadyAtMs.find((atMs) => atMs >= sinceMs);
  if (ready === undefined) return null;
  const sent = new Map(
    items.filter((item) => item.sentAtMs >= sinceMs).map((item) => [formatName(item), item]),
  );
  const doneAtMs = new Map<ItemKind, number>();
  const done = (kind: ItemKind, atMs: number): void =>
    void doneAtMs.set(kind, Math.min(atMs, doneAtMs.get(kind) ?? Infinity));
  for (const { kind, acceptedAtMs } of sent.values())
    if (acceptedAtMs !== null && SEEN_BY_ANSWER.has(kind)) done(kind, acceptedAtMs);
  for (const sighting of sightings)
    if (!SEEN_BY_ANSWER.has(sighting.kind) && sent.get(formatName(sighting))?.acceptedAtMs != null)
      done(sighting.kind, sighting.atMs);
  const looked = ITEM_KINDS.filter((kind) => !WAITING.has(kind));
  if (looked.some((kind) => !doneAtMs.has(kind))) return null;
  return Math.max(ready, ...looked.map((kind) => doneAtMs.get(kind)!));
}

const SEEN_BY_ANSWER: ReadonlySet<ItemKind> = new Set([
  'turns',
  'events',
  'versions',
  'keys',
  'clicks',
  'bounces',
]);
