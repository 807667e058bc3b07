// Limits the share of a process's places that each organisation gets (docs/platform.md#lanes):
// three quarters of what others leave. Claims wait for organisations with quick attempts; the
// excess of slow ones is deferred.
import type { Clock } from '@parley/server/runtime';
import type { LaneEntry } from './lanes.ts';
import { recordAttempt, createPace, scheduleDeferrals, PATIENCE_MS, type Pace } from './pacing.rules.ts';

interface Organization {
  /** Weight of its entries that have a place. */
  inFlight: number;
  /** Claims wait for it until then. */
  quickUntilMs: number;
  /** When its last attempt ended; before that, when its first entry came. */
  movedAtMs: number;
  /**
   * The pace of its work. Large entries have a pace of their own, or small ones would come back
   * after all of them.
   */
  readonly paces: { readonly small: Pace; readonly large: Pace };
}

/**
 * An organisation may take three quarters of the places that others leave, so that the next one
 * finds some.
 */
const ORGANIZATION_SHARE = 0.75;
/** How long claims wait for an organisation after its last quick attempt. */
const WAITED_FOR_MS = 250;
/** The rest is for organisations that come when such shares have become too small. */
const SHARED = 0.9;

export interface SharesOptions<Entry> {
  readonly placesMax: number;
  readonly entriesPerClaim: number;
  readonly pauseMs: number;
  readonly clock: Clock;
  /** The places that an entry counts for, at least 1: a large one has the bytes of several. */
  readonly weigh: (entry: Entry) => number;
}

export interface Shares<Entry> {
  /**
   * The next claim may hold rows of one organisation only: false until each quick one has that many
   * places within its share.
   */
  canAccept(placesTaken: number): boolean;
  /**
   * Counts entries as in flight and returns those within their organisation's share. The rest is
   * deferred, due at the pace of the organisation's work.
   */
  admit(
    entries: readonly Entry[],
    defer: (entries: readonly Entry[], dueAtMs: number, inDoubt: boolean) => void,
  ): readonly Entry[];
  /** Counts an entry as in flight, regardless of its share. */
  enter(entry: Entry): void;
  /** Records that an attempt has ended. */
  recordAttempt(entry: Entry, ms: number): void;
  leave(entry: Entry): void;
}

export function createShares<Entry extends LaneEntry>(options: SharesOptions<Entry>): Shares<Entry> {
  const { placesMax, entriesPerClaim, pauseMs, clock, weigh } = options;
  const sharedMax = placesMax * SHARED;
  const limits = { concurrencyMax: sharedMax * ORGANIZATION_SHARE, patienceMs: PATIENCE_MS };
  const organizations = new Map<string, Organization>();
  /** Places that entries hold. Claims in progress hold the others. */
  let entriesInFlight = 0;
  /** Their weight. */
  let weightInFlight = 0;

  function computeShare(organization: Organization): number {
    const others = weightInFlight - organization.inFlight;
    return Math.max(entriesPerClaim, Math.floor((sharedMax - others) * ORGANIZATION_SHARE));
  }

  function enter(entry: Entry): Organization {
    const { organizationId } = entry;
    const weight = weigh(entry);
    let organization = organizations.get(organizationId);
    if (!organization) {
      const nowMs = clock();
      const quickUntilMs = nowMs + WAITED_FOR_MS; // quick until it is known
      const paces = { small: createPace(limits), large: createPace(limits) };
      organization = { inFlight: 0, quickUntilMs, movedAtMs: nowMs, paces };
      organizations.set(organizationId, organization);
    }
    organization.inFlight += weight;
    weightInFlight += weight;
    entriesInFlight += 1;
    return organization;
  }

  return {
    canAccept: (placesTaken) => {
      const nowMs = clock();
      const comingMax = placesTaken - entriesInFlight + entriesPerClaim;
      for (const organization of organizations.values()) {
        if (organization.quickUntilMs <= nowMs) continue;
        if (organization.inFlight + comingMax > computeShare(organization)) return false;
      }
      return true;
    },
    admit: (entries, defer) => {
      const nowMs = clock();
      const admitted: Entry[] = [];
      const over = new Map<Pace, { readonly movedAtMs: number; readonly its: Entry[]; weight: number }>();
      for (const entry of entries) {
        const organization = enter(entry);
        if (organization.inFlight <= computeShare(organization)) {
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
        const more = { unansweredMs: nowMs - movedAtMs, weight };
        for (const { count, dueAtMs } of scheduleDeferrals(pace, its.length, pauseMs, nowMs, more))
          defer(its.splice(0, count), dueAtMs, false);
      }
      return admitted;
    },
    enter: (entry) => void enter(entry),
    recordAttempt: ({ organizationId }, ms) => {
      const organization = organizations.get(organizationId);
      if (!organization) return;
      const nowMs = clock();
      organization.movedAtMs = nowMs;
      for (const pace of Object.values(organization.paces))
        recordAttempt(pace, { ms, timedOut: false, pauseMs }, nowMs);
      if (ms < PATIENCE_MS) organization.quickUntilMs = nowMs + WAITED_FOR_MS;
    },
    leave: (entry) => {
      const { organizationId } = entry;
      const weight = weigh(entry);
      const organization = organizations.get(organizationId) as Organization;
      organization.inFlight -= weight;
      weightInFlight -= weight;
      entriesInFlight -= 1;
      if (organization.inFlight === 0) organizations.delete(organizationId);
    },
  };
}
