// The book of a run: what was sent, accepted and seen, and which requests failed.
import type { Item, ItemKind, Sighting } from './account.rules.ts';

export interface Book {
  /** Notes an item that is being sent, or that was at `sentAtMs`, where it is known by its answer only. */
  sent(kind: ItemKind, id: string, sentAtMs?: number): void;
  accepted(kind: ItemKind, id: string): void;
  seen(kind: ItemKind, id: string, messageId: string | null): void;
  /** A request that was not answered with success: of which service, and its status, or that there was no answer. */
  failed(what: string): void;
  /** Something that must not be; the run has failed. */
  problem(what: string): void;
  requested(): void;
  items(): Item[];
  readonly sightings: readonly Sighting[];
  /** `<service> <status>` → how often. */
  readonly failures: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  requests(): number;
}

export function createBook(clock: () => number): Book {
  const items = new Map<string, Item>();
  const sightings: Sighting[] = [];
  const failures: Record<string, number> = {};
  const problems: string[] = [];
  let requests = 0;
  return {
    sent: (kind, id, sentAtMs = clock()) => {
      if (items.has(`${kind} ${id}`)) throw new Error(`${kind} ${id} is sent twice: a bug of the load`);
      items.set(`${kind} ${id}`, { kind, id, sentAtMs, acceptedAtMs: null });
    },
    accepted: (kind, id) => {
      const item = items.get(`${kind} ${id}`);
      if (!item) throw new Error(`${kind} ${id} was never sent: a bug of the load`);
      items.set(`${kind} ${id}`, { ...item, acceptedAtMs: clock() });
    },
    seen: (kind, id, messageId) => void sightings.push({ kind, id, messageId, atMs: clock() }),
    failed: (what) => void (failures[what] = (failures[what] ?? 0) + 1),
    problem: (what) => void (problems.includes(what) || problems.push(what)),
    problems,
    requested: () => void (requests += 1),
    items: () => [...items.values()],
    sightings,
    failures,
    requests: () => requests,
  };
}
