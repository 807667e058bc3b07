// The account of a run: what was accepted against what was seen. Pure.

/** What can be lost. Each item of a kind was accepted by one answer, and must be seen at least once. */
export const ITEM_KINDS = [
  'turns', //           answers of execute, in the transcript of their conversation
  'events', //          events of a batch, in the transcript of their conversation
  'webhooks', //        what conversation webhooks must be told of both
  'chat',
  'webhook',
  'email',
  'in_app',
  'broadcast', //       a device of a broadcast
  'steps', //           channels that follow later
  'digest', //          sends that become one
  'bulk', //            sends of one call
  'throttle', //        two sends of one key: one of them
  'quiet', //           what waits for the end of quiet hours
  'clicks', //          clicks in the inbox, each counted once
  'recipient', //       mail to a recipient, by the address that is kept
  'topic', //           the item of the last member of a topic
  'versions', //        published versions, in the log of publications
  'keys', //            rotated keys that work
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Kinds that receivers, or whoever looks into the inbox, see when they arrive. The others are read when all is over. */
export const SEEN_AT_ONCE: ReadonlySet<ItemKind> = new Set([
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
  'recipient',
  'topic',
  'keys',
]);

/** Hours have minutes: what waits for their end may wait for one, which says nothing of recovery. */
const WAITING: ReadonlySet<ItemKind> = new Set(['quiet']);

/** Something that was asked for. */
export interface Item {
  readonly kind: ItemKind;
  /** Unique within its kind. */
  readonly id: string;
  readonly sentAtMs: number;
  /** When a success was answered; null where none ever came: it may have happened or not. */
  readonly acceptedAtMs: number | null;
}

/** Something that a receiver took, or that an API shows. */
export interface Sighting {
  readonly kind: ItemKind;
  /** Of the item. */
  readonly id: string;
  /** What a receiver knows a repetition by; null where there was nothing. */
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
  /** Of those: not recognisable, because it has no id or another id than the first one. */
  readonly unidentified: number;
  /** Sent, and nothing but failures answered. */
  readonly unknown: number;
  /** The longest time from sending to the first sighting; 0 when nothing was seen. */
  readonly slowestMs: number;
}

export interface Account {
  readonly kinds: Readonly<Record<ItemKind, KindAccount>>;
  /** `<kind> <id>` of what was lost, in the order in which it was sent. */
  readonly lost: readonly string[];
  readonly unidentified: readonly string[];
  /** Share of all sightings that are duplicates. */
  readonly duplicateShare: number;
}

export function accountFor(items: readonly Item[], sightings: readonly Sighting[]): Account {
  const seen = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    const key = nameOf(sighting);
    const earlier = seen.get(key);
    if (earlier) earlier.push(sighting);
    else seen.set(key, [sighting]);
  }
  const lost = items.filter((item) => item.acceptedAtMs !== null && !seen.has(nameOf(item))).map(nameOf);
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
      const delivered = accepted.filter((item) => seen.has(nameOf(item))).length;
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
            const atMs = seen.get(nameOf(item))?.[0]?.atMs;
            return atMs === undefined ? most : Math.max(most, atMs - item.sentAtMs);
          }, 0),
        },
      ];
    }),
  ) as Record<ItemKind, KindAccount>;
  const duplicated = Object.values(kinds).reduce((sum, kind) => sum + kind.duplicated, 0);
  return { kinds, lost, unidentified, duplicateShare: duplicated / Math.max(1, sightings.length) };
}

const nameOf = ({ kind, id }: { kind: ItemKind; id: string }): string => `${kind} ${id}`;

/**
 * When everything worked again after `sinceMs`: every service was ready, and of every kind something was accepted and seen that was
 * sent afterwards. Null: not yet. Turns and events are seen by the webhooks that tell of them; versions, keys and clicks by their answer.
 */
export function recoveredAtMs(
  sinceMs: number,
  items: readonly Item[],
  sightings: readonly Sighting[],
  allReadyAtMs: readonly number[],
): number | null {
  const ready = allReadyAtMs.find((atMs) => atMs >= sinceMs);
  if (ready === undefined) return null;
  const sent = new Map(items.filter((item) => item.sentAtMs >= sinceMs).map((item) => [nameOf(item), item]));
  const doneAtMs = new Map<ItemKind, number>();
  const done = (kind: ItemKind, atMs: number): void =>
    void doneAtMs.set(kind, Math.min(atMs, doneAtMs.get(kind) ?? Infinity));
  for (const { kind, acceptedAtMs } of sent.values())
    if (acceptedAtMs !== null && BY_ANSWER.has(kind)) done(kind, acceptedAtMs);
  for (const sighting of sightings)
    if (!BY_ANSWER.has(sighting.kind) && sent.get(nameOf(sighting))?.acceptedAtMs != null)
      done(sighting.kind, sighting.atMs);
  const looked = ITEM_KINDS.filter((kind) => !WAITING.has(kind));
  if (looked.some((kind) => !doneAtMs.has(kind))) return null;
  return Math.max(ready, ...looked.map((kind) => doneAtMs.get(kind)!));
}

const BY_ANSWER: ReadonlySet<ItemKind> = new Set(['turns', 'events', 'versions', 'keys', 'clicks']);
