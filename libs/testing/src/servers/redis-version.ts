// Which servers can carry queues. Pure.

/** BullMQ warns below this version, and its scripts are only tried from there on. */
const REDIS_VERSION_MIN: readonly [number, number] = [6, 2];

/**
 * Reads `redis-server --version` ("Redis server v=7.0.15 sha=…", "Valkey server v=8.0.1 …"): true
 * when queues can run on it. Valkey began at 7.2, so one rule serves both.
 */
export function isUsableRedis(versionLine: string): boolean {
  const [, major, minor] = /\bv=(\d+)\.(\d+)/.exec(versionLine) ?? [];
  if (major === undefined) return false;
  const [majorMin, minorMin] = REDIS_VERSION_MIN;
  return Number(major) > majorMin || (Number(major) === majorMin && Number(minor) >= minorMin);
}
