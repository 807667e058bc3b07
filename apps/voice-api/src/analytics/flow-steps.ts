// Counts the turns that passed each node and edge of a flow version, and where callers left
// (docs/voice-api.md#flow-steps). Turns append facts and workers fold them into counts, so intakes
// do not wait for one row.
import type pg from 'pg';
import type { Caller } from '@parley/server/http';
import { inTransaction, type Sql } from '@parley/server/postgres';
import type { Deps } from './deps.ts';

/** Facts of one transaction. Each has as many numbers as its turn visited nodes. */
const FACTS_PER_FOLD_MAX = 500;
/** Nodes and edges of one answer: the maximum of a definition. */
export const STEPS_MAX = 50_000;

export interface VisitedSteps {
  readonly organizationId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

export async function recordSteps(sql: Sql, turns: readonly VisitedSteps[]): Promise<void> {
  if (turns.length === 0) return;
  await sql(
    `INSERT INTO flow_step_facts (organization_id, flow_id, flow_version, nodes, edges)
     SELECT * FROM json_to_recordset($1) AS row(o text, f text, v int, nodes int[], edges int[])`,
    [
      JSON.stringify(
        turns.map(({ organizationId: o, flowId: f, flowVersion: v, nodes, edges }) => ({
          o,
          f,
          v,
          nodes,
          edges,
        })),
      ),
    ],
  );
}

/** If the flow waited for its caller at the end, the caller left at that node. */
export async function recordExits(
  sql: Sql,
  conversations: readonly { readonly organizationId: string; readonly id: string }[],
): Promise<void> {
  if (conversations.length === 0) return;
  await sql(
    `INSERT INTO flow_step_facts (organization_id, flow_id, flow_version, nodes, edges, left_at)
     SELECT last.organization_id, last.flow_id, last.flow_version, '{}', '{}', last.last_node
     FROM unnest($1::text[], $2::text[]) AS key (o, c)
     CROSS JOIN LATERAL (
       SELECT * FROM conversation_turns AS turn
       WHERE turn.organization_id = key.o AND turn.conversation_id = key.c ORDER BY turn.turn DESC LIMIT 1) AS last
     WHERE last.status = 'waiting'`,
    [conversations.map(({ organizationId }) => organizationId), conversations.map(({ id }) => id)],
  );
}

/** Folds all facts unless another worker is folding. Returns the number of folded facts. */
export async function foldSteps(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  for (let folded = 0; ;) {
    const count = await inTransaction(pool, async (sql) => {
      const [lock] = await sql<{ mine: boolean }>(
        `SELECT pg_try_advisory_xact_lock(hashtextextended('flow steps', 0)) AS mine`,
      );
      if (!lock!.mine) return 0;
      const [taken] = await sql<{ count: number }>(FOLD, [FACTS_PER_FOLD_MAX]);
      return taken!.count;
    });
    folded += count;
    if (count < FACTS_PER_FOLD_MAX || signal?.aborted) return folded;
  }
}

const STEPS_OF_FACT = `(
    SELECT 'node' AS kind, unnest(fact.nodes) AS position
    UNION ALL SELECT 'edge', unnest(fact.edges)
    UNION ALL SELECT 'left', fact.left_at WHERE fact.left_at IS NOT NULL)`;

const FOLD = `
  WITH fact AS (
    DELETE FROM flow_step_facts WHERE id IN (SELECT id FROM flow_step_facts ORDER BY id LIMIT $1::int) RETURNING *
  ), added AS (
    INSERT INTO flow_steps AS known (organization_id, flow_id, flow_version, kind, position, count)
    SELECT organization_id, flow_id, flow_version, kind, position, count(*)
    FROM fact CROSS JOIN LATERAL ${STEPS_OF_FACT} AS step
    GROUP BY organization_id, flow_id, flow_version, kind, position
    ON CONFLICT (organization_id, flow_id, flow_version, kind, position) DO UPDATE SET count = known.count + excluded.count
  )
  SELECT count(*)::int AS count FROM fact`;

/** GET /v1/analytics/flow-steps, over all time. Includes facts that are not folded yet. */
export async function readFlowSteps(
  { sql }: Pick<Deps, 'sql'>,
  { organizationId }: Caller,
  { flow_id, version }: { readonly flow_id: string; readonly version: number },
) {
  const rows = await sql<{ kind: 'node' | 'edge' | 'left'; position: number; count: number }>(READ, [
    organizationId,
    flow_id,
    version,
    STEPS_MAX,
  ]);
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  const left = new Map(of('left').map(({ position, count }) => [position, count]));
  return {
    flow_id,
    version,
    nodes: of('node').map(({ position, count }) => ({
      index: position,
      turns: count,
      left: left.get(position) ?? 0,
    })),
    edges: of('edge').map(({ position, count }) => ({ index: position, turns: count })),
  };
}

const READ = `
  SELECT kind, position, sum(count)::float8 AS count FROM (
    SELECT kind, position, count FROM flow_steps
    WHERE organization_id = $1 AND flow_id = $2 AND flow_version = $3
    UNION ALL
    SELECT step.kind, step.position, 1 FROM flow_step_facts AS fact CROSS JOIN LATERAL ${STEPS_OF_FACT} AS step
    WHERE fact.organization_id = $1 AND fact.flow_id = $2 AND fact.flow_version = $3) AS steps
  GROUP BY kind, position ORDER BY kind, position LIMIT $4::int`;
