// The book of a run: what was sent, accepted and seen, and which requests failed. Written by the load and the receivers, read by
// the account.
import type { Item, ItemKind, Sighting } from './account.rules.ts';

export interface Book {
  /** Notes an item before it is sent. */
  sent(kind: ItemKind, id: string): void;
  accepted(kind: ItemKind, id: string): void;
  seen(kind: ItemKind, id: string, messageId: string | null): void;
  /** A request that was not answered with success: its status, or why there was no answer. */
  failed(what: string): void;
  requested(): void;
  items(): Item[];
  readonly sightings: readonly Sighting[];
  /** `<service> <status>` → how often. */
  readonly failures: Readonly<Record<string, number>>;
  requests(): number;
}

export function createBook(clock: () => number): Book {
  const items = new Map<string, Item>();
  const sightings: Sighting[] = [];
  const failures: Record<string, number> = {};
  let requests = 0;
  return {
    sent: (kind, id) => {
      if (items.has(`${kind} ${id}`)) throw new Error(`${kind} ${id} is sent twice: a bug of the load`);
      items.set(`${kind} ${id}`, { kind, id, sentAtMs: clock(), acceptedAtMs: null });
    },
    accepted: (kind, id) => {
      const item = items.get(`${kind} ${id}`);
      if (!item) throw new Error(`${kind} ${id} was never sent: a bug of the load`);
      items.set(`${kind} ${id}`, { ...item, acceptedAtMs: clock() });
    },
    seen: (kind, id, messageId) => void sightings.push({ kind, id, messageId, atMs: clock() }),
    failed: (what) => void (failures[what] = (failures[what] ?? 0) + 1),
    requested: () => void (requests += 1),
    items: () => [...items.values()],
    sightings,
    failures,
    requests: () => requests,
  };
}
