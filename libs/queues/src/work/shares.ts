// How much of what a process may have in hand each organisation has (docs/platform.md#lanes): of the places that others leave, three
// quarters. One whose attempts are quick is waited for; what a slow one has too much of goes back.
import type { Clock } from '@parley/runtime';
import type { LaneEntry } from './lanes.ts';
import { attemptEnded, freshPace, goBack, PATIENCE_MS, type Pace } from './pacing.rules.ts';

interface Organization {
  /** What its entries that have a place weigh. */
  inHand: number;
  /** Until then it is waited for. */
  quickUntilMs: number;
  /** When its last attempt ended; before that, when its first entry came. */
  movedAtMs: number;
  /** At which its work is done; what is large goes back at a pace of its own, or a small one would come back after all of it. */
  readonly paces: { readonly small: Pace; readonly large: Pace };
}

/** Of the places that others leave, an organisation may take three quarters: whoever comes next finds some. */
const ORGANIZATION_SHARE = 0.75;
/** Everybody waits for places of an organisation whose last attempt was quick, but only for so long after it. */
const WAITED_FOR_MS = 250;
/** The rest is for those who come when such shares have become nothing. */
const SHARED = 0.9;

export interface SharesOptions<Entry> {
  readonly placesMax: number;
  readonly entriesPerTake: number;
  readonly pauseMs: number;
  readonly clock: Clock;
  /** The places that an entry counts for, at least one: a large one has the bytes of several. */
  readonly weigh: (entry: Entry) => number;
}

export interface Shares<Entry> {
  /** What is taken next may all be one organisation's: false until each quick one has places for it within its share. */
  mayTake(placesTaken: number): boolean;
  /**
   * Counts these as in hand, and gives those that are within their organisation's share. The rest goes back, due at the pace at which
   * the organisation's work is done.
   */
  admit(
    entries: readonly Entry[],
    defer: (entries: readonly Entry[], dueAtMs: number, inDoubt: boolean) => void,
  ): readonly Entry[];
  /** Counts it as in hand, whatever its share. */
  enter(entry: Entry): void;
  /** An attempt of it has ended. */
  attempted(entry: Entry, ms: number): void;
  leave(entry: Entry): void;
}

export function createShares<Entry extends LaneEntry>(options: SharesOptions<Entry>): Shares<Entry> {
  const { placesMax, entriesPerTake, pauseMs, clock, weigh } = options;
  const sharedMax = placesMax * SHARED;
  const limits = { concurrencyMax: sharedMax * ORGANIZATION_SHARE, patienceMs: PATIENCE_MS };
  const organizations = new Map<string, Organization>();
  /** Of the places, those of entries. The others are of takes that do not know theirs yet. */
  let entriesInHand = 0;
  /** What they weigh. */
  let inHand = 0;

  function shareOf(organization: Organization): number {
    const others = inHand - organization.inHand;
    return Math.max(entriesPerTake, Math.floor((sharedMax - others) * ORGANIZATION_SHARE));
  }

  function enter(entry: Entry): Organization {
    const { organizationId } = entry;
    const weight = weigh(entry);
    let organization = organizations.get(organizationId);
    if (!organization) {
      const nowMs = clock();
      const quickUntilMs = nowMs + WAITED_FOR_MS; // quick until it is known
      const paces = { small: freshPace(limits), large: freshPace(limits) };
      organization = { inHand: 0, quickUntilMs, movedAtMs: nowMs, paces };
      organizations.set(organizationId, organization);
    }
    organization.inHand += weight;
    inHand += weight;
    entriesInHand += 1;
    return organization;
  }

  return {
    mayTake: (placesTaken) => {
      const nowMs = clock();
      const comingMax = placesTaken - entriesInHand + entriesPerTake;
      for (const organization of organizations.values()) {
        if (organization.quickUntilMs <= nowMs) continue;
        if (organization.inHand + comingMax > shareOf(organization)) return false;
      }
      return true;
    },
    admit: (entries, defer) => {
      const nowMs = clock();
      const admitted: Entry[] = [];
      const over = new Map<Pace, { readonly movedAtMs: number; readonly its: Entry[]; weight: number }>();
      for (const entry of entries) {
        const organization = enter(entry);
        if (organization.inHand <= shareOf(organization)) {
          admitted.push(entry);
          continue;
        }
        const weight = weigh(entry);
        const pace = organization.paces[weight > 1 ? 'large' : 'small'];
        const alike = over.get(pace) ?? { movedAtMs: organization.movedAtMs, its: [], weight: 0 };
        alike.its.push(entry);
        alike.weight += weight;
        over.set(pace, alike);
      }
      for (const [pace, { movedAtMs, its, weight }] of over) {
        for (const { count, dueAtMs } of goBack(pace, its.length, pauseMs, nowMs, nowMs - movedAtMs, weight))
          defer(its.splice(0, count), dueAtMs, false);
      }
      return admitted;
    },
    enter: (entry) => void enter(entry),
    attempted: ({ organizationId }, ms) => {
      const organization = organizations.get(organizationId);
      if (!organization) return;
      const nowMs = clock();
      organization.movedAtMs = nowMs;
      for (const pace of Object.values(organization.paces))
        attemptEnded(pace, { ms, timedOut: false, pauseMs }, nowMs);
      if (ms < PATIENCE_MS) organization.quickUntilMs = nowMs + WAITED_FOR_MS;
    },
    leave: (entry) => {
      const { organizationId } = entry;
      const weight = weigh(entry);
      const organization = organizations.get(organizationId) as Organization;
      organization.inHand -= weight;
      inHand -= weight;
      entriesInHand -= 1;
      if (organization.inHand === 0) organizations.delete(organizationId);
    },
  };
}
