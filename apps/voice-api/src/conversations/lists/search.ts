// Finds the words of a search in transcripts (docs/voice-api.md#search): conditions on search
// documents, conversations that have none yet, and the utterances that a page shows.
import type { Sql } from '@parley/server/postgres';
import type { Role } from '../../conversation-model/turn-roles.rules.ts';
import { escapeLike } from '../../lists.ts';
import { UTTERANCE_CHARACTERS_MAX } from '../../search-text/document.rules.ts';
import { cutExcerpt, type Mark } from '../../search-text/marks.rules.ts';
import { matchesUtterance, type Needle, type ParsedSearch } from '../../search-text/query.rules.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import type { Where } from './where.ts';

const toPatterns = (needles: readonly Needle[]) => needles.map(({ text }) => `%${escapeLike(text)}%`);

/** Condition on the `words` of a document. Adds its values to `where`. */
export function buildDocumentMatch({ values }: Pick<Where, 'values'>, { groups }: ParsedSearch): string {
  const add = (value: readonly string[]) => `$${values.push(value)}::text[]`;
  const conditions = groups.map(({ all, none }) => {
    const has = add(toPatterns(all));
    const document = `document.words LIKE ALL (${has})`;
    if (all.length === 1 && none.length === 0)
      return { document, line: `line LIKE ALL (${has})`, isExact: true };
    return {
      document,
      line: `line LIKE ALL (${has}) AND line NOT LIKE ALL (${add(toPatterns(none))})`,
      isExact: false,
    };
  });
  const document = conditions.map((one) => `(${one.document})`).join(' OR ');
  if (conditions.every(({ isExact }) => isExact)) return `(${document})`;
  return `((${document}) AND ${buildLineMatch(conditions.map(({ line }) => line))})`;
}

const buildLineMatch = (
  lines: readonly string[],
) => `(SELECT true FROM string_to_table(document.words, E'\\n') AS line
      WHERE ${lines.map((line) => `(${line})`).join(' OR ')} LIMIT 1) IS TRUE`;

/** Condition on a `conversation` that has a document. The words are read and decompressed once. */
export function buildWordMatch(where: Where, search: ParsedSearch): string {
  if (search.groups.length === 0) return 'false';
  return `(conversation.searched AND (SELECT ${buildDocumentMatch(where, search)} FROM (
    SELECT words || '' AS words FROM search_documents
    WHERE organization_id = conversation.organization_id AND conversation_id = conversation.id OFFSET 0) AS document) IS TRUE)`;
}

export const isIndexed = ({ groups }: ParsedSearch): boolean => groups.every(({ terms }) => terms.length > 0);

/**
 * Ids of conversations whose documents have the terms of the search. The subselect hides the terms
 * from the planner, which would read all documents for common ones.
 */
export function buildIndexMatch({ values }: Where, { groups }: ParsedSearch): string {
  const any = groups.map(({ terms }) => `search_terms(grams) @> (SELECT $${values.push(terms)}::int[])`);
  return `SELECT conversation_id AS id FROM search_documents WHERE organization_id = $1 AND (${any.join(' OR ')})`;
}

/** Utterances shown for one conversation. */
const SHOWN_MAX = 3;

export interface FoundUtterance {
  readonly index: number;
  readonly role: Role;
  /** An excerpt of the utterance. */
  readonly text: string;
  /** Matches in the text: start and end, in UTF-16 code units. */
  readonly marks: readonly Mark[];
}

interface SpokenRow {
  readonly id: string;
  readonly turn_index: number;
  readonly role: Role;
  readonly spoken: string;
}

const toFound = (search: ParsedSearch, { turn_index: index, role, spoken }: SpokenRow): FoundUtterance => ({
  index,
  role,
  ...cutExcerpt(search, spoken),
});

/** Conversations that are searched without a document: running ones, and final ones for moments. */
export interface Unsearched {
  /** Those that match, with what was found. */
  readonly found: ReadonlyMap<string, readonly FoundUtterance[]>;
  /** The last one that was read, when there are more. */
  readonly last: ConversationRow | undefined;
}

/** Read for one page, with the bytes of their turns. */
export const UNSEARCHED_MAX = { conversations: 500, bytes: 1024 * 1024 };

/** Reads the transcripts of these conversations, which are in the order of the list. */
export async function searchTexts(
  sql: Sql,
  organizationId: string,
  rows: readonly ConversationRow[],
  search: ParsedSearch,
): Promise<Unsearched> {
  let bytes = 0;
  const read = rows.slice(0, UNSEARCHED_MAX.conversations).filter((row, at) => {
    bytes += row.bytes;
    return at === 0 || bytes <= UNSEARCHED_MAX.bytes;
  });
  const found = new Map<string, FoundUtterance[]>();
  if (search.groups.length > 0 && read.length > 0) {
    const turns = await sql<SpokenRow>(TEXTS, [
      organizationId,
      read.map(({ id }) => id),
      UTTERANCE_CHARACTERS_MAX,
    ]);
    for (const turn of turns.filter(({ spoken }) => matchesUtterance(search, spoken))) {
      const shown = found.get(turn.id) ?? [];
      if (shown.length < SHOWN_MAX) found.set(turn.id, [...shown, toFound(search, turn)]);
    }
  }
  return { found, last: read.length < rows.length ? read.at(-1) : undefined };
}

const TEXTS = `
  SELECT conversation_id AS id, turn_index, role, left("text", $3::int) AS spoken FROM turns
  WHERE organization_id = $1 AND conversation_id = ANY($2::text[]) ORDER BY conversation_id, turn_index, role`;

/** Reads the matching utterances of conversations with documents, the best three of each. */
export async function readFound(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  search: ParsedSearch,
): Promise<ReadonlyMap<string, readonly FoundUtterance[]>> {
  const found = new Map<string, FoundUtterance[]>();
  if (search.groups.length === 0 || ids.length === 0) return found;
  const values: unknown[] = [organizationId, ids, UTTERANCE_CHARACTERS_MAX];
  const lines = search.groups.map(({ all, none }) => {
    const [has, lacks] = [toPatterns(all), toPatterns(none)].map(
      (patterns) => `$${values.push(patterns)}::text[]`,
    );
    return `(line LIKE ALL (${has}) AND line NOT LIKE ALL (${lacks}))`;
  });
  const wholeWords = search.groups.flatMap(({ all }) =>
    all.map(({ text }) => ({ text: ` ${text.trim()} `, isNumber: false })),
  );
  const rank = `line LIKE ANY ($${values.push(toPatterns(wholeWords))}::text[])`;
  for (const row of await sql<SpokenRow>(buildFound(lines.join(' OR '), rank), values))
    found.set(row.id, [...(found.get(row.id) ?? []), toFound(search, row)]);
  return found;
}

/** Whole words before parts of words. A line has the place of its turn. */
const buildFound = (matches: string, rank: string) => `
  SELECT shown.id, spoken.turn_index, spoken.role, spoken.spoken
  FROM unnest($2::text[]) WITH ORDINALITY AS shown (id, place)
  JOIN search_documents AS document ON document.organization_id = $1 AND document.conversation_id = shown.id
  CROSS JOIN LATERAL (
    SELECT nth FROM string_to_table(document.words, E'\\n') WITH ORDINALITY AS lines (line, nth)
    WHERE ${matches} ORDER BY ${rank} DESC, nth LIMIT ${SHOWN_MAX}) AS hit
  CROSS JOIN LATERAL (
    SELECT turn_index, role, left("text", $3::int) AS spoken FROM turns
    WHERE organization_id = $1 AND conversation_id = shown.id
    ORDER BY turn_index, role OFFSET hit.nth - 1 LIMIT 1) AS spoken
  ORDER BY shown.place, hit.nth`;
