// GET /v1/flow-turns: recorded turns of a flow, those of the newest conversation first.
import { decodeCursor, toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { boundBytesSql, countFitting, type SizedRow } from '@parley/server/postgres';
import { readRedaction } from '../retention/redaction.ts';
import { scrubRecordedTurn } from '../retention/scrub.rules.ts';
import type { Deps } from './deps.ts';

/** One page looks at so many conversations of the flow, recorded or not. */
export const CONVERSATIONS_MAX = 1_000;

interface Row extends SizedRow {
  readonly createdAt: Date;
  readonly id: string;
  readonly botId: string | null;
  readonly turn: number;
  readonly data: Record<string, unknown>;
}

/** Pages have up to 1 MiB unless a single turn has more (docs/platform.md#byte-budgets). */
export async function listFlowTurns(
  deps: Pick<Deps, 'sql' | 'retentionRules'>,
  caller: Caller,
  query: { readonly flow_id: string; readonly limit: number; readonly cursor?: string | undefined },
) {
  const { organizationId } = caller;
  const redaction = await readRedaction(deps, caller);
  const { flow_id: flowId, limit, cursor } = query;
  const [ms, id, turn] = cursor === undefined ? [] : decodeCursor(cursor, 'time', 'text', 'integer');
  const after = [ms === undefined ? null : new Date(ms), id ?? '', turn ?? 0];
  const rows = await deps.sql<Row>(PAGE, [organizationId, flowId, ...after, CONVERSATIONS_MAX, limit + 1]);
  return voiceApiDialect.page(
    toPage(
      rows,
      countFitting(rows, limit),
      (row) => [row.createdAt.getTime(), row.id, row.turn],
      ({ data, botId }) => (redaction.hides(botId) ? scrubRecordedTurn(data) : data),
    ),
  );
}

const PAGE = boundBytesSql(
  `WITH conversation AS MATERIALIZED (
     SELECT id, created_at, bot_id FROM conversations
     WHERE organization_id = $1 AND flow_id = $2
       AND (created_at, id) <= (coalesce($3::timestamptz, 'infinity'), $4)
     ORDER BY created_at DESC, id DESC LIMIT $6::int
   )
   SELECT created_at AS "createdAt", id, bot_id AS "botId", recorded.* FROM conversation CROSS JOIN LATERAL (
     SELECT turn, data, bytes FROM conversation_turns
     WHERE organization_id = $1 AND conversation_id = conversation.id AND flow_id = $2
       AND (conversation.id <> $4 OR turn > $5::int)
     ORDER BY turn LIMIT $7::int) AS recorded
   ORDER BY created_at DESC, id DESC, turn LIMIT $7::int`,
  'bytes',
  '"createdAt" DESC, id DESC, turn',
);
