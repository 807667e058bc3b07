// Which organisations this process served last: rests apply only while others need the process.

const RECENT_MS = 1_000;

interface ServedOrganization {
  readonly organizationId: string;
  readonly atMs: number;
}

let latest: ServedOrganization | undefined;
/** The latest one of another organisation than `latest`. */
let previous: ServedOrganization | undefined;

/** Call it for every request of any size. */
export function markServed(organizationId: string): void {
  if (latest && latest.organizationId !== organizationId) previous = latest;
  latest = { organizationId, atMs: performance.now() };
}

/** Whether this process served another organisation within the last second. */
export function isAnotherServed(organizationId: string): boolean {
  const other = latest?.organizationId === organizationId ? previous : latest;
  return other !== undefined && performance.now() - other.atMs < RECENT_MS;
}
