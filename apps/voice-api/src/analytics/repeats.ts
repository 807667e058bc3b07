// What analytics do in the background: the fold. It runs in every worker process.
import { repeat, type Repeating } from '@parley/queues';
import type { Deps } from '../deps.ts';
import { foldFacts } from './fold-facts.ts';
import { foldSteps } from './flow-steps.ts';

/** What is not folded is added up at every read: a second's worth is little. A rollup is rewritten once a fold at most. */
const FOLD_EVERY_MS = 1_000;

/** Each must be closed before the database is. */
export function analyticsRepeats(deps: Pick<Deps, 'pool' | 'sql' | 'log'>): Repeating[] {
  const { pool, sql, log } = deps;
  const stopping = new AbortController();
  const folding = repeat(
    { everyMs: FOLD_EVERY_MS, firstAfterMs: FOLD_EVERY_MS, name: 'analytics.fold', log },
    async () => {
      await foldFacts(pool, sql, stopping.signal);
      await foldSteps(pool, stopping.signal);
    },
  );
  return [
    {
      close: async () => {
        stopping.abort(); // a long backlog is left to the next worker
        await folding.close();
      },
    },
  ];
}
