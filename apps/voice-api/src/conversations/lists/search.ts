// Full-text search in transcripts (docs/voice-api.md#search): parses the query, finds conversations
// and marks the matches.
import type { Sql } from '@parley/server/postgres';
import type { Role } from '../../conversation-model/turn-roles.rules.ts';

/** The expression of the index of turns, verbatim (migration of `turns_search_idx`). */
const SPOKEN = `(to_tsvector('simple', left("text", 20000)) || array_to_tsvector(ARRAY['organization ' || "organization_id"]))`;

export interface ParsedSearch {
  /** The query text. */
  readonly text: string;
  /** The parsed query with the organisation as a term; empty: nothing to search for. */
  readonly indexed: string;
  readonly words: string;
}

/** Parses the query once for all statements of a search. */
export async function parseSearch(sql: Sql, organizationId: string, question: string): Promise<ParsedSearch> {
  const organization = `'organization ${organizationId.replaceAll(/[\\']/g, '$&$&')}'`;
  const [row] = await sql<ParsedSearch>(
    `SELECT CASE WHEN numnode(words) > 0 THEN (words && $2::tsquery)::text ELSE '' END AS indexed, words::text AS words, $1::text AS text
     FROM websearch_to_tsquery('simple', $1::text) AS words`,
    [question, organization],
  );
  return row!;
}

/** Maximum of utterances that the index yields. Frequent words match that many early. */
const FOUND_TURNS_MAX = 50_000;

/** Matches without the index. Not EXISTS: the planner would collect all turns. */
export function buildTurnMatch(words: string): string {
  return `(SELECT true FROM turns WHERE turns.organization_id = conversation.organization_id
    AND turns.conversation_id = conversation.id AND ${SPOKEN} @@ ${words}::tsquery LIMIT 1) IS TRUE`;
}

/**
 * Ids of conversations that match through the index. The subselect hides the words from the
 * planner, which would read the turns of all organisations for common ones.
 */
export function buildIndexMatch(words: string): string {
  return `(SELECT conversation_id FROM turns
    WHERE organization_id = $1 AND ${SPOKEN} @@ (SELECT ${words}::tsquery) LIMIT ${FOUND_TURNS_MAX})`;
}

/** Utterances shown for one conversation. */
const SHOWN_MAX = 3;
const [OPEN, CLOSE] = [String.fromCharCode(2), String.fromCharCode(3)];

export interface FoundUtterance {
  readonly index: number;
  readonly role: Role;
  /** An excerpt of the utterance; Postgres removes markup. */
  readonly text: string;
  /** Matches in the text: start and end, in UTF-16 code units. */
  readonly marks: readonly (readonly [number, number])[];
}

/** Reads the matching utterances of these conversations. */
export async function readFound(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  { indexed, words }: ParsedSearch,
): Promise<ReadonlyMap<string, readonly FoundUtterance[]>> {
  const found = new Map<string, FoundUtterance[]>();
  if (indexed === '' || ids.length === 0) return found;
  const rows = await sql<{ id: string; turn_index: number; role: Role; headline: string }>(FOUND, [
    organizationId,
    ids,
    indexed,
    words,
    OPEN + CLOSE,
    `StartSel=${OPEN},StopSel=${CLOSE},MaxFragments=1,MaxWords=30,MinWords=10`,
  ]);
  for (const { id, turn_index: index, role, headline } of rows)
    found.set(id, [...(found.get(id) ?? []), { index, role, ...parseHeadline(headline) }]);
  return found;
}

/** Uses the primary key for each conversation: the index would yield all matching turns. */
const FOUND = `
  SELECT shown.id, spoken.turn_index, spoken.role,
    ts_headline('simple', translate(left(spoken."text", 20000), $5, ''), $4::tsquery, $6) AS headline
  FROM unnest($2::text[]) WITH ORDINALITY AS shown (id, place) CROSS JOIN LATERAL (
    SELECT turn_index, role, "text" FROM turns
    WHERE organization_id = $1 AND conversation_id = shown.id AND ${SPOKEN} @@ $3::tsquery
    ORDER BY turn_index LIMIT ${SHOWN_MAX}) AS spoken
  ORDER BY shown.place, spoken.turn_index`;

function parseHeadline(headline: string): Pick<FoundUtterance, 'text' | 'marks'> {
  const marks: [number, number][] = [];
  let text = '';
  for (const piece of headline.split(OPEN)) {
    const [word, rest] = piece.split(CLOSE);
    if (rest !== undefined) marks.push([text.length, text.length + word!.length]);
    text += word! + (rest ?? '');
  }
  return { text, marks };
}
