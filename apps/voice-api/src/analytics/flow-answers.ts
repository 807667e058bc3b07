// GET /v1/analytics/flow-answers: what became of the answers to each question
// (docs/voice-api.md#flow-answers). Counted from the recorded turns: the answers of a deleted
// conversation, and their words, disappear with it.
import type { Caller } from '@parley/server/http';
import { readRedaction } from '../retention/redaction.ts';
import { scrubText } from '../retention/scrub.rules.ts';
import type { Deps } from './deps.ts';
import type { ANSWER_OUTCOMES } from '../conversation-model/recorded.ts';

/** One read looks at the newest conversations of the flow, and at some answers of these. */
export const CONVERSATIONS_MAX = 2_000;
const ANSWERS_MAX = 50_000;
const WORDS_MAX = 10;

type Outcome = (typeof ANSWER_OUTCOMES)[number];

interface Row {
  readonly node: number;
  /** null: the row counts words. */
  readonly outcome: Outcome | null;
  readonly words: string | null;
  readonly count: number;
  readonly is_complete: boolean;
}

export async function readFlowAnswers(
  deps: Pick<Deps, 'sql' | 'clock' | 'retentionRules'>,
  caller: Caller,
  { flow_id, version, days }: { readonly flow_id: string; readonly version: number; readonly days: number },
) {
  const { sql, clock } = deps;
  const { organizationId } = caller;
  const { isActive } = await readRedaction(deps, caller);
  const since = new Date(clock() - days * 86_400_000);
  const bounds = [CONVERSATIONS_MAX, ANSWERS_MAX, WORDS_MAX];
  const rows = await sql<Row>(READ, [organizationId, flow_id, version, since, ...bounds]);
  const nodes = [...new Set(rows.map(({ node }) => node))].sort((a, b) => a - b);
  const questions = nodes.map((index) => {
    const ofNode = rows.filter(({ node }) => node === index);
    const counted = (outcome: Outcome) => ofNode.find((row) => row.outcome === outcome)?.count ?? 0;
    return {
      index,
      understood: counted('understood'),
      understood_later: counted('understood_later'),
      asked_again: counted('asked_again'),
      lost: counted('lost'),
      refused: ofNode.flatMap(({ words, count }) =>
        words === null ? [] : [{ words: isActive ? scrubText(words) : words, count }],
      ),
    };
  });
  return { flow_id, version, days, complete: rows[0]?.is_complete ?? true, questions };
}

const READ = `
  WITH conversation AS MATERIALIZED (
    SELECT id FROM conversations
    WHERE organization_id = $1 AND flow_id = $2 AND created_at >= $4::timestamptz
    ORDER BY created_at DESC, id DESC LIMIT $5::int
  ), answer AS MATERIALIZED (
    SELECT turn.answer_node AS node, turn.answer_outcome AS outcome, turn.refused AS words
    FROM conversation CROSS JOIN LATERAL (
      SELECT * FROM conversation_turns AS turn
      WHERE turn.organization_id = $1 AND turn.conversation_id = conversation.id
        AND turn.flow_id = $2 AND turn.flow_version = $3::int AND turn.answer_outcome IS NOT NULL) AS turn
    LIMIT $6::int
  ), known AS (
    SELECT (SELECT count(*) FROM conversation) < $5::int AND (SELECT count(*) FROM answer) < $6::int AS is_complete
  ), refused AS (
    SELECT node, words, count(*) AS count,
      row_number() OVER (PARTITION BY node ORDER BY count(*) DESC, words) AS place
    FROM answer WHERE words IS NOT NULL GROUP BY node, words
  )
  SELECT node, outcome, NULL AS words, count(*)::int AS count, known.is_complete FROM answer, known GROUP BY 1, 2, 5
  UNION ALL
  SELECT node, NULL, words, count::int, known.is_complete FROM refused, known WHERE place <= $7::int
  ORDER BY node, count DESC, words`;
