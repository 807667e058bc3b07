// Plans faults as a pure function of the seed, so that a run can be repeated.

/** The kinds of faults. */
export const FAULT_KINDS = [
  'replica_killed',
  'service_killed',
  'replica_frozen',
  'replica_out_of_memory',
  'clock_stepped',
  'redis_restarted',
  'redis_killed',
  'redis_flushed',
  'redis_frozen',
  'redis_away',
  'redis_failed_over',
  'redis_swallowed',
  'redis_disk_full',
  'jobs_malformed',
  'postgres_restarted',
  'postgres_killed',
  'postgres_slowed',
  'receivers_failing',
  'receivers_hanging',
  'receivers_losing',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export const TOPOLOGIES = ['single', 'sentinel', 'cluster'] as const;
/** How Redis runs. */
export type Topology = (typeof TOPOLOGIES)[number];

/** Faults that a topology cannot have. */
const IMPOSSIBLE: Readonly<Record<Topology, readonly FaultKind[]>> = {
  single: ['redis_failed_over'],
  sentinel: ['redis_away', 'redis_swallowed', 'redis_disk_full'],
  cluster: ['redis_swallowed', 'redis_disk_full'],
};

/** Without the rights of root no disk can be filled. */
export const listFaultKinds = (topology: Topology, isRoot = true): FaultKind[] =>
  FAULT_KINDS.filter(
    (kind) => !IMPOSSIBLE[topology].includes(kind) && (isRoot || kind !== 'redis_disk_full'),
  );

export interface Fault {
  readonly kind: FaultKind;
  /** Since the start of the load. */
  readonly atMs: number;
  /** How long it lasts; 0 for a moment. */
  readonly durationMs: number;
  /** Selects the service and the replica, for kinds that need one. */
  readonly target: { readonly service: number; readonly replica: number };
}

/** Before the first fault the load must work. */
const FIRST_AT_MS = 3_000;
/** From the end of one fault to the start of the next: recoveries overlap with faults sometimes. */
const PAUSE_MS = { min: 1_500, max: 6_000 };
/**
 * For lasting faults. Long enough to exceed the command time-out of a queue client and the lease of
 * a claim.
 */
const DURATION_MS = { min: 2_000, max: 6_000 };
/** Longer than any lease, so that others take over what the replica still believes to have. */
const FROZEN_MS = 30_000;
const LASTING: ReadonlySet<FaultKind> = new Set([
  'redis_frozen',
  'redis_away',
  'redis_swallowed',
  'redis_disk_full',
  'clock_stepped',
  'postgres_slowed',
  'receivers_failing',
  'receivers_hanging',
  'receivers_losing',
]);

/**
 * Faults for a load of this length; the last one ends before the load. Kinds come in random order,
 * and none repeats before each has occurred, unless it lasts longer than what is left.
 */
export function planFaults(
  seed: number,
  seconds: number,
  kinds: readonly FaultKind[] = FAULT_KINDS,
  pauseMs = PAUSE_MS.min,
): Fault[] {
  const random = seededRandom(seed);
  const between = ({ min, max }: { min: number; max: number }) => Math.round(min + random() * (max - min));
  const faults: Fault[] = [];
  let deck: FaultKind[] = [];
  for (let atMs = FIRST_AT_MS; ;) {
    const lastingMs = between(DURATION_MS);
    const durationOf = (kind: FaultKind) =>
      kind === 'replica_frozen' ? FROZEN_MS : LASTING.has(kind) ? lastingMs : 0;
    const findFitting = () => deck.findLastIndex((kind) => atMs + durationOf(kind) < seconds * 1000);
    if (findFitting() < 0) deck = shuffle(kinds, random);
    const [kind] = deck.splice(findFitting(), 1);
    if (kind === undefined || atMs + durationOf(kind) >= seconds * 1000) return faults;
    const durationMs = durationOf(kind);
    const target = { service: Math.floor(random() * 3), replica: Math.floor(random() * 2) };
    faults.push({ kind, atMs, durationMs, target });
    atMs += durationMs + pauseMs + between({ min: 0, max: PAUSE_MS.max - PAUSE_MS.min });
  }
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const deck = [...items];
  for (let last = deck.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [deck[last], deck[other]] = [deck[other]!, deck[last]!];
  }
  return deck;
}

/** Pseudo-random numbers in [0, 1) (mulberry32), the same on every system. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
