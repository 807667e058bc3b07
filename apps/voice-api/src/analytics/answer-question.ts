// Answers usage and performance queries: from query parameters to totals, buckets and groups. The
// two differ only in their figures.
import { AppError } from '@parley/envelopes';
import { reachesBot, type Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';
import { findBucket } from './blocks.rules.ts';
import { createCallerUnion, type CallerUnion } from './caller-set.rules.ts';
import { readBuckets, type BucketTallies, type RollupQuery } from './read-rollups.ts';
import { flowVersionValue } from './record-facts.ts';
import type { AnalyticsQuery } from './schemas.ts';
import type { Dimension } from './series.rules.ts';
import { addCounts, newTally, type Tally } from './tally.ts';
import { rejectParameter, parseWindow } from './window.ts';

/** Figures of groups in one answer (buckets times groups), about 20 MB of JSON. */
export const GROUP_FIGURES_MAX = 20_000;

/** Computes the figures of one endpoint from tallies. */
export interface FigureKind<Figures> {
  readonly reads: RollupQuery['largeColumn'];
  /** @param traffic null where webhook and request figures do not apply */
  figures(tally: Tally, uniqueCallers: number, traffic: Tally | null): Figures;
}

type Grouped<Figures> = Figures & { groups?: (Figures & { key: string | null })[] };

export interface AnalyticsAnswer<Figures> {
  from: string;
  to: string;
  interval: AnalyticsQuery['interval'];
  timezone: string;
  bot_id: string | null;
  flow_id: string | null;
  flow_version: number | null;
  group_by: Dimension | null;
  as_of: string;
  complete: boolean;
  totals: Grouped<Figures>;
  buckets: (Grouped<Figures> & {
    start: string;
    end: string;
    as_of: string;
    complete: boolean;
    whole: boolean;
  })[];
}

/** @throws AppError invalid_request; unprocessable when the answer would be too large */
export async function answerQuery<Figures extends object>(
  deps: Pick<Deps, 'pool' | 'clock' | 'blockCache'>,
  caller: Caller,
  query: AnalyticsQuery,
  kind: FigureKind<Figures>,
): Promise<AnalyticsAnswer<Figures>> {
  if (caller.botIds && !reachesBot(caller, query.bot_id ?? null))
    throw new AppError('bot_not_of_key', 'A key that is bound to bots must name one of them. Set bot_id.');
  const nowMs = deps.clock();
  const { fromMs, toMs, edges, whole } = parseWindow(query, nowMs);
  const question: RollupQuery = {
    organizationId: caller.organizationId,
    edges,
    botId: query.bot_id ?? '',
    groupBy: query.group_by ?? null,
    only: selectFlow(query),
    largeColumn: kind.reads,
  };
  const sums = createSums(question, kind);
  const openBuckets = await inTransaction(deps.pool, async (sql) => {
    // One snapshot: otherwise a fold could move facts into rollups between two statements, and this
    // would count them twice or miss them.
    await sql('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const open = await findOpenBuckets(sql, question, query);
    await readBuckets(sql, deps.blockCache, question, sums.add);
    return open;
  });
  const { totals, buckets } = sums.result();
  const asOf = new Date(nowMs).toISOString();
  const isComplete = (index: number): boolean => edges[index + 1]! <= nowMs && !openBuckets.has(index);
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    interval: query.interval,
    timezone: query.timezone,
    bot_id: query.bot_id ?? null,
    flow_id: query.flow_id ?? null,
    flow_version: query.flow_version ?? null,
    group_by: query.group_by ?? null,
    as_of: asOf,
    complete: buckets.every((_, index) => isComplete(index)),
    totals,
    buckets: buckets.map((figures, index) => ({
      start: new Date(edges[index]!).toISOString(),
      end: new Date(edges[index + 1]!).toISOString(),
      as_of: asOf,
      complete: isComplete(index),
      whole: whole[index]!,
      ...figures,
    })),
  };
}

/** Rollups exist by flow and by version of a flow. They cannot be grouped further within a flow. */
function selectFlow({ flow_id, flow_version, group_by }: AnalyticsQuery): RollupQuery['only'] {
  if (flow_id === undefined && flow_version !== undefined)
    rejectParameter('flow_version', 'needs `flow_id`, because versions are numbered per flow');
  if (flow_id === undefined) return null;
  if (group_by !== undefined && (group_by !== 'flow_version' || flow_version !== undefined))
    rejectParameter(
      'group_by',
      'must be `flow_version` when `flow_id` is set, and absent when `flow_version` is set',
    );
  if (flow_version === undefined) return { dimension: 'flow_id', value: flow_id };
  return {
    dimension: 'flow_version',
    value: flowVersionValue({ flowId: flow_id, flowVersion: flow_version })!,
  };
}

/** Keeps the figures of each bucket, not its tallies, and adds every tally to the totals. */
function createSums<Figures extends object>(question: RollupQuery, kind: FigureKind<Figures>) {
  const { edges, groupBy, botId, only } = question;
  const hasTraffic = botId === '' && only === null;
  const callers = createCallerUnion();
  const traffic = newTally();
  const total = newTotal();
  const groupTotals = new Map<string, Total>();
  const buckets: { figures: Figures; groups: Map<string, Figures> }[] = [];
  const nothing = newTally();

  /** Computes the figures of a tally and adds the tally to `total`. */
  function addToTotal(tally: Tally, total: Total, withTraffic: Tally | null): Figures {
    callers.clear();
    callers.add(tally.callerSets, tally.callers);
    addCounts(total.tally, tally);
    // As bits: the caller sets of all blocks of a year would fill the memory.
    total.union.join(callers);
    return kind.figures(tally, callers.count(), withTraffic);
  }

  function add(_index: number, found: BucketTallies): void {
    const groups = new Map<string, Figures>();
    for (const [key, tally] of found.groups) {
      let total = groupTotals.get(key);
      if (!total) groupTotals.set(key, (total = newTotal()));
      groups.set(key, addToTotal(tally, total, null));
    }
    if (groupTotals.size * (edges.length - 1) > GROUP_FIGURES_MAX) {
      throw new AppError(
        'unprocessable',
        `The answer would have ${edges.length - 1} buckets of ${groupTotals.size} groups or more; the limit is ${GROUP_FIGURES_MAX} figures. Choose a shorter window or a longer interval.`,
      );
    }
    if (found.traffic) addCounts(traffic, found.traffic);
    const withTraffic = hasTraffic ? (found.traffic ?? nothing) : null;
    buckets.push({ figures: addToTotal(found.all ?? nothing, total, withTraffic), groups });
  }

  function result() {
    const keys = [...groupTotals.keys()].sort();
    const none = kind.figures(nothing, 0, null);
    const withGroups = (figures: Figures, of: (key: string) => Figures): Grouped<Figures> =>
      groupBy === null
        ? figures
        : { ...figures, groups: keys.map((key) => ({ key: key === '' ? null : key, ...of(key) })) };
    const toFigures = ({ tally, union }: Total, withTraffic: Tally | null): Figures =>
      kind.figures(tally, union.count(), withTraffic);
    return {
      totals: withGroups(toFigures(total, hasTraffic ? traffic : null), (key) =>
        toFigures(groupTotals.get(key)!, null),
      ),
      buckets: buckets.map(({ figures, groups }) => withGroups(figures, (key) => groups.get(key) ?? none)),
    };
  }

  return { add, result };
}

interface Total {
  readonly tally: Tally;
  readonly union: CallerUnion;
}

function newTotal(): Total {
  return { tally: newTally(), union: createCallerUnion() };
}

/** Finds buckets with open conversations. Reads one row for each of these. */
async function findOpenBuckets(
  sql: Sql,
  { organizationId, botId, edges }: RollupQuery,
  { flow_id, flow_version }: AnalyticsQuery,
): Promise<Set<number>> {
  const rows = await sql<{ started_at: Date }>(
    `SELECT DISTINCT date_bin('15 minutes', coalesce(started_at, created_at), 'epoch') AS started_at
     FROM conversations
     WHERE organization_id = $1 AND due_at IS NOT NULL AND NOT counted AND ($2 = '' OR bot_id = $2)
       AND ($3::text IS NULL OR flow_id = $3) AND ($4::int IS NULL OR flow_version = $4)`,
    [organizationId, botId, flow_id ?? null, flow_version ?? null],
  );
  return new Set(rows.map(({ started_at: at }) => findBucket(edges, at.getTime())));
}
