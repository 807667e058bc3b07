// Finds the words of a search in transcripts (docs/voice-api.md#search): conditions on search
// documents, conversations that have none yet, and the utterances that a page shows.
import type { Sql } from '@parley/server/postgres';
import type { Role } from '../../conversation-model/turn-roles.rules.ts';
import { escapeLike } from '../../lists.ts';
import { UTTERANCE_CHARACTERS_MAX } from '../../search-text/document.rules.ts';
import { cutExcerpt, type Mark } from '../../search-text/marks.rules.ts';
import { matchesUtterance, type Needle, type ParsedSearch } from '../../search-text/query.rules.ts';
import type { Redaction } from '../../retention/redaction.ts';
import { scrubText } from '../../retention/scrub.rules.ts';
import { readRedactedTexts, toKey } from '../../retention/scrubbed-turns.ts';
import type { ConversationRow } from '../conversation-rows.ts';
import type { Where } from './where.ts';

const toPatterns = (needles: readonly Needle[]) => needles.map(({ text }) => `%${escapeLike(text)}%`);

/** A search, and what its reader must not find. */
export interface ReaderSearch extends ParsedSearch {
  readonly redaction: Redaction;
}

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

/** The words with the scrubbed utterances instead of the whole ones. */
const SCRUBBED_WORDS = `(SELECT string_agg(coalesce(scrubbed ->> nth::text, line), E'\\n' ORDER BY nth)
      FROM string_to_table(words, E'\\n') WITH ORDINALITY AS lines (line, nth))`;

/** Condition on a `conversation` that has a document. The words are read and decompressed once. */
export function buildWordMatch(where: Where, search: ReaderSearch): string {
  if (search.groups.length === 0) return 'false';
  const { isActive, byDefault, exceptions } = search.redaction;
  const isHidden = () =>
    `coalesce(conversation.bot_id = ANY($${where.values.push(exceptions)}::text[]), false) <> ${byDefault}`;
  const words = isActive
    ? `CASE WHEN scrubbed IS NOT NULL AND ${isHidden()} THEN ${SCRUBBED_WORDS} ELSE words || '' END`
    : `words || ''`;
  return `(conversation.searched AND (SELECT ${buildDocumentMatch(where, search)} FROM (
    SELECT ${words} AS words FROM search_documents
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

/** The utterances as the reader may read them. */
async function hideSpoken(
  sql: Sql,
  organizationId: string,
  rows: readonly SpokenRow[],
  isHidden: (conversationId: string) => boolean,
): Promise<readonly SpokenRow[]> {
  const toPlace = ({ id, turn_index: index, role }: SpokenRow) => ({ organizationId, id, index, role });
  const redacted = await readRedactedTexts(sql, rows.filter(({ id }) => isHidden(id)).map(toPlace));
  return rows.map((row) => {
    if (!isHidden(row.id)) return row;
    const text = redacted.get(toKey(toPlace(row))) ?? row.spoken;
    return { ...row, spoken: scrubText(text.slice(0, UTTERANCE_CHARACTERS_MAX)) };
  });
}

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
  search: ReaderSearch,
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
    const hidden = listHidden(read, search);
    const visible = await hideSpoken(sql, organizationId, turns, (id) => hidden.has(id));
    for (const turn of visible.filter(({ spoken }) => matchesUtterance(search, spoken))) {
      const shown = found.get(turn.id) ?? [];
      if (shown.length < SHOWN_MAX) found.set(turn.id, [...shown, toFound(search, turn)]);
    }
  }
  return { found, last: read.length < rows.length ? read.at(-1) : undefined };
}

/** The conversations whose texts the reader gets scrubbed. */
const listHidden = (rows: readonly ConversationRow[], { redaction }: ReaderSearch): ReadonlySet<string> =>
  new Set(rows.flatMap((row) => (redaction.hides(row.bot_id) ? [row.id] : [])));

const TEXTS = `
  SELECT conversation_id AS id, turn_index, role, left("text", $3::int) AS spoken FROM turns
  WHERE organization_id = $1 AND conversation_id = ANY($2::text[]) ORDER BY conversation_id, turn_index, role`;

/** Reads the matching utterances of conversations with documents, the best three of each. */
export async function readFound(
  sql: Sql,
  organizationId: string,
  rows: readonly ConversationRow[],
  search: ReaderSearch,
): Promise<ReadonlyMap<string, readonly FoundUtterance[]>> {
  const found = new Map<string, FoundUtterance[]>();
  if (search.groups.length === 0 || rows.length === 0) return found;
  const hidden = listHidden(rows, search);
  const values: unknown[] = [organizationId, rows.map(({ id }) => id), UTTERANCE_CHARACTERS_MAX, [...hidden]];
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
  const spoken = await sql<SpokenRow>(buildFound(lines.join(' OR '), rank), values);
  for (const row of await hideSpoken(sql, organizationId, spoken, (id) => hidden.has(id)))
    found.set(row.id, [...(found.get(row.id) ?? []), toFound(search, row)]);
  return found;
}

/** Whole words before parts of words. A line has the place of its turn. */
const buildFound = (matches: string, rank: string) => `
  SELECT shown.id, spoken.turn_index, spoken.role, spoken.spoken
  FROM unnest($2::text[]) WITH ORDINALITY AS shown (id, place)
  JOIN search_documents AS document ON document.organization_id = $1 AND document.conversation_id = shown.id
  CROSS JOIN LATERAL (
    SELECT nth FROM (
      SELECT nth, CASE WHEN shown.id = ANY($4::text[]) THEN coalesce(document.scrubbed ->> nth::text, whole) ELSE whole END AS line
      FROM string_to_table(document.words, E'\\n') WITH ORDINALITY AS lines (whole, nth)) AS lines
    WHERE ${matches} ORDER BY ${rank} DESC, nth LIMIT ${SHOWN_MAX}) AS hit
  CROSS JOIN LATERAL (
    SELECT turn_index, role, left("text", $3::int) AS spoken FROM turns
    WHERE organization_id = $1 AND conversation_id = shown.id
    ORDER BY turn_index, role OFFSET hit.nth - 1 LIMIT 1) AS spoken
  ORDER BY shown.place, hit.nth`;
