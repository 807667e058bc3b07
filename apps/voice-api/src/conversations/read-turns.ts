// GET /v1/conversations/{id}/turns: recorded turns of a conversation, in order.
import { decodeCursor, toPage, voiceApiDialect } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { countFitting, boundBytesSql, type SizedRow } from '@parley/server/postgres';
import { readRedaction } from '../retention/redaction.ts';
import { scrubRecordedTurn } from '../retention/scrub.rules.ts';
import { findConversation } from './read-conversations.ts';
import type { Deps } from './deps.ts';

/**
 * Pages have up to 1 MiB unless a single turn has more (docs/platform.md#byte-budgets).
 * @throws AppError not_found
 */
export async function listRecordedTurns(
  deps: Pick<Deps, 'sql' | 'retentionRules'>,
  caller: Caller,
  conversationId: string,
  query: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const after = query.cursor === undefined ? 0 : decodeCursor(query.cursor, 'integer')[0];
  const { bot_id: botId } = await findConversation(deps, caller, conversationId);
  const isScrubbed = (await readRedaction(deps, caller)).hides(botId);
  const rows = await deps.sql<{ turn: number; data: Record<string, unknown> } & SizedRow>(PAGE, [
    caller.organizationId,
    conversationId,
    after,
    query.limit + 1,
  ]);
  return voiceApiDialect.page(
    toPage(
      rows,
      countFitting(rows, query.limit),
      ({ turn }) => [turn],
      ({ data }) => (isScrubbed ? scrubRecordedTurn(data) : data),
    ),
  );
}

const PAGE = boundBytesSql(
  `SELECT turn, data, bytes FROM conversation_turns
   WHERE organization_id = $1 AND conversation_id = $2 AND turn > $3::int ORDER BY turn LIMIT $4::int`,
  'bytes',
  'turn',
);
