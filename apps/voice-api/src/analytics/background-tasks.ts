// The background task of analytics: the fold. It runs in every worker process.
import { repeat, type Lifecycle } from '@parley/server/runtime';
import type { Deps } from './deps.ts';
import { foldFacts } from './fold-facts.ts';
import { foldSteps } from './flow-steps.ts';

/** Facts that are not folded are cheap to add up. Each fold rewrites a rollup once. */
const FOLD_EVERY_MS = 1_000;

export function startFolding(deps: Pick<Deps, 'pool' | 'sql' | 'log'>, life: Lifecycle): void {
  const { pool, sql, log } = deps;
  const stopping = new AbortController();
  const folding = repeat({ everyMs: FOLD_EVERY_MS, name: 'analytics.fold', log }, async () => {
    await foldFacts(pool, sql, stopping.signal);
    await foldSteps(pool, stopping.signal);
  });
  life.onStop('analytics', async () => {
    stopping.abort(); // the next worker folds a long backlog
    await folding.close();
  });
}
