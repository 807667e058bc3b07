// Counts deliveries that wait for a channel which the deployment does not have, such as web push
// without its flag.
import type { Deps } from '../deps.ts';

/** The count is cached, since it scans what is queued. */
const COUNTED_FOR_MS = 60_000;

interface ChannelCount {
  readonly channel: string;
  readonly count: number;
}

export function watchWaiting({ metrics, sql, clock }: Pick<Deps, 'metrics' | 'sql' | 'clock'>): void {
  let counted: { readonly rows: readonly ChannelCount[]; readonly atMs: number } | undefined;
  metrics.gauge(
    'deliveries_without_channel',
    'Deliveries that wait for a channel that is off, counted once a minute',
    ['channel'],
    async (gauge) => {
      const nowMs = clock();
      if (!counted || nowMs - counted.atMs >= COUNTED_FOR_MS) {
        const rows = await sql<ChannelCount>(
          `SELECT channel, count(*) AS count FROM deliveries
           WHERE next_ring_at IS NOT NULL AND last_error_class = 'unknown_channel' GROUP BY 1`,
        );
        counted = { rows, atMs: nowMs };
      }
      gauge.reset();
      for (const { channel, count } of counted.rows) gauge.set({ channel }, count);
    },
  );
}
