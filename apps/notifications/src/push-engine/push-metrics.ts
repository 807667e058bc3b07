// Counts the subscriptions of each VAPID key. A key without subscriptions can be retired.
import type { Platform } from '@parley/platform';

/** The count is cached, since it scans a large table. */
const COUNTED_FOR_MS = 60_000;

interface KeyCount {
  readonly key_id: string;
  readonly state: string;
  readonly count: number;
}

export function watchSubscriptions({
  metrics,
  sql,
  clock,
}: Pick<Platform, 'metrics' | 'sql' | 'clock'>): void {
  let counted: { readonly rows: readonly KeyCount[]; readonly atMs: number } | undefined;
  metrics.gauge(
    'push_subscriptions',
    'Subscriptions by VAPID key, counted once a minute',
    ['key_id', 'state'],
    async (gauge) => {
      const nowMs = clock();
      if (!counted || nowMs - counted.atMs >= COUNTED_FOR_MS) {
        const rows = await sql<KeyCount>(
          `SELECT key_id, CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN key_mismatch_at IS NOT NULL THEN 'key_mismatch'
             ELSE 'live' END AS state, count(*) AS count
           FROM push_subscriptions GROUP BY 1, 2`,
        );
        counted = { rows, atMs: nowMs };
      }
      gauge.reset();
      for (const { key_id, state, count } of counted.rows) gauge.set({ key_id, state }, count);
    },
  );
}
