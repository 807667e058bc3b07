// Builds the search documents of final conversations (docs/voice-api.md#search): newly settled ones
// first, then those of before there were documents. Replicas may run it concurrently.
import { setImmediate as yieldOnce, setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Sql } from '@parley/server/postgres';
import {
  buildDocument,
  UTTERANCE_CHARACTERS_MAX,
  type SearchDocument,
} from '../search-text/document.rules.ts';
import type { Role } from '../conversation-model/turn-roles.rules.ts';
import { scrubText } from '../retention/scrub.rules.ts';
import { readRedactedTexts, toKey, type TurnKey } from '../retention/scrubbed-turns.ts';
import type { ConversationKey } from './conversation-rows.ts';
import type { Deps } from './deps.ts';
import { READ_BYTES_MAX, WEIGHT } from './read-transcripts.ts';

/** The maximum delay of a document. */
export const DOCUMENTS_EVERY_MS = 500;
const BATCH_MAX = 100;
/** Batches of one round; the next round follows immediately. */
const BATCHES_MAX = 50;

type DocumentDeps = Pick<Deps, 'pool'>;

/** Returns the number of conversations that have a document now. Rests as long as it works. */
export async function buildDocuments({ pool }: DocumentDeps): Promise<number> {
  let built = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const begunMs = performance.now();
    const count = await inTransaction(pool, buildBatch);
    built += count;
    if (count === 0) break;
    await sleep(performance.now() - begunMs);
  }
  return built;
}

/** The locks keep late events and erasures waiting until the document is there. */
async function buildBatch(sql: Sql): Promise<number> {
  const keys = await sql<ConversationKey>(CLAIM, [BATCH_MAX, READ_BYTES_MAX]);
  if (keys.length === 0) return 0;
  const columns = [
    keys.map(({ organizationId }) => organizationId),
    keys.map(({ conversationId }) => conversationId),
  ];
  const rows = await sql<Spoken>(TEXTS, [...columns, UTTERANCE_CHARACTERS_MAX]);
  const spoken = new Map(rows.map((row) => [row.place, row]));
  const redacted = await readRedactedTexts(
    sql,
    rows.flatMap((row) => listPlaces(keys[row.place - 1]!, row)),
  );
  const documents: SearchDocument[] = [];
  for (const [at, key] of keys.entries()) {
    const { texts = [], places = [] } = spoken.get(at + 1) ?? {};
    const scrub = (nth: number) => {
      const place = places[nth];
      const known = (place && redacted.get(toKey(toTurnKey(key, place)))) ?? texts[nth]!;
      return scrubText(known.slice(0, UTTERANCE_CHARACTERS_MAX));
    };
    documents.push(buildDocument(key.organizationId, texts, scrub));
    await yieldOnce();
  }
  const row = ({ organizationId: o, conversationId: c }: ConversationKey, at: number) => {
    const { words, scrubbed, grams } = documents[at]!;
    return { o, c, words, scrubbed, grams: `{${grams.join(',')}}` };
  };
  await sql(WRITE, [...columns, JSON.stringify(keys.map(row))]);
  return keys.length;
}

interface Spoken {
  /** From 1, among the claimed conversations. */
  readonly place: number;
  readonly texts: readonly string[];
  /** Index and role of an utterance in a recorded turn; null: of another one. */
  readonly places: readonly (readonly [index: number, role: Role] | null)[];
}

const toTurnKey = (
  { organizationId, conversationId: id }: ConversationKey,
  [index, role]: readonly [number, Role],
): TurnKey => ({ organizationId, id, index, role });

const listPlaces = (key: ConversationKey, { places }: Spoken): TurnKey[] =>
  places.flatMap((place) => (place ? [toTurnKey(key, place)] : []));

/** A conversation that is larger than the limit is claimed alone. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT organization_id, id, settled_at, ${WEIGHT} AS weight FROM conversations AS conversation
    WHERE NOT searched AND due_at IS NULL ORDER BY settled_at DESC LIMIT $1::int FOR UPDATE SKIP LOCKED)
  SELECT organization_id AS "organizationId", id AS "conversationId"
  FROM (SELECT due.*, sum(weight) OVER (ORDER BY settled_at DESC, organization_id, id) AS until FROM due) AS summed
  WHERE until <= $2::int OR until = weight ORDER BY organization_id, id`;

/** In the order of the primary key: a line of a document has the place of its turn. */
const TEXTS = `
  SELECT key.place::int AS place, json_agg(left(turn.text, $3::int) ORDER BY turn.turn_index, turn.role) AS texts,
    json_agg(CASE WHEN turn.flow_turn IS NOT NULL THEN json_build_array(turn.turn_index, turn.role) END ORDER BY turn.turn_index, turn.role) AS places
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS key (o, c, place)
  JOIN turns AS turn ON turn.organization_id = key.o AND turn.conversation_id = key.c
  GROUP BY key.place`;

/** An unchanged document is not written again. */
const WRITE = `
  WITH written AS (
    INSERT INTO search_documents AS document (organization_id, conversation_id, words, scrubbed, grams)
    SELECT o, c, words, scrubbed, grams::int[]
    FROM json_to_recordset($3) AS row (o text, c text, words text, scrubbed jsonb, grams text)
    ON CONFLICT (organization_id, conversation_id) DO UPDATE
      SET words = excluded.words, scrubbed = excluded.scrubbed, grams = excluded.grams
    WHERE (document.words, document.scrubbed) IS DISTINCT FROM (excluded.words, excluded.scrubbed))
  UPDATE conversations SET searched = true FROM unnest($1::text[], $2::text[]) AS key (o, c)
  WHERE organization_id = key.o AND id = key.c`;
