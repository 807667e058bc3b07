// The ledger of a run: items sent, accepted and seen, and failed requests.
import type { Item, ItemKind, Sighting } from './account.rules.ts';

export interface Ledger {
  /** Records an item on sending, or with its time when only the answer names it. */
  sent(kind: ItemKind, id: string, sentAtMs?: number): void;
  accepted(kind: ItemKind, id: string): void;
  seen(kind: ItemKind, id: string, messageId: string | null): void;
  /** Records a request without success: the service, and the status or the lack of an answer. */
  failed(what: string): void;
  /** Records a violation; the run has failed. */
  problem(what: string): void;
  requested(): void;
  items(): Item[];
  readonly sightings: readonly Sighting[];
  /** `<service> <status>` → how often. */
  readonly failures: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  requests(): number;
}

export function createLedger(clock: () => number): Ledger {
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
