// Folds facts into rollups: reads some, adds them to their blocks and deletes them in one
// transaction. A killed fold leaves no trace. A lock for each organisation keeps two workers from
// the same blocks. Every worker process folds.
import type pg from 'pg';
import { inTransaction, type Sql } from '@parley/server/postgres';
import { LEVELS, floorToBlock, type Level } from './blocks.rules.ts';
import { decodeCallers, eachCaller } from './caller-set.rules.ts';
import { DIMENSIONS, listSeries, type Series } from './series.rules.ts';
import {
  COUNTERS,
  FACT_COLUMNS,
  addFact,
  addRollup,
  addTally,
  boundedFacts,
  encodeTally,
  newTally,
  type FactRow,
  type RollupCounts,
  type Tally,
} from './tally.ts';

/** Facts of one transaction. It shares blocks and takes a fraction of a second. */
export const FACTS_PER_FOLD_MAX = 2_000;

/** Folds all facts of all organisations that no other worker is folding. Returns their number. */
export async function foldFacts(pool: pg.Pool, sql: Sql, signal?: AbortSignal): Promise<number> {
  let folded = 0;
  for (const { organization_id: organizationId } of await sql<{ organization_id: string }>(ORGANIZATIONS)) {
    for (;;) {
      if (signal?.aborted) return folded;
      const count = await inTransaction(pool, (transaction) => foldSome(transaction, organizationId));
      folded += count;
      if (count < FACTS_PER_FOLD_MAX) break;
    }
  }
  return folded;
}

/**
 * Folds up to FACTS_PER_FOLD_MAX facts of an organisation, oldest first. Returns 0 when another
 * worker holds the lock. Needs a transaction of its own.
 */
export async function foldSome(sql: Sql, organizationId: string): Promise<number> {
  const [lock] = await sql<{ mine: boolean }>(TRY_LOCK, [organizationId]);
  if (!lock!.mine) return 0;
  const facts = await sql<FactRow & { id: number; caller: string | null }>(READ_FACTS, [
    organizationId,
    FACTS_PER_FOLD_MAX,
  ]);
  if (facts.length === 0) return 0;
  const blocks = tallyBlocks(facts, await numberCallers(sql, organizationId, facts));
  await addStoredBlocks(sql, organizationId, blocks);
  await storeBlocks(sql, organizationId, blocks);
  await sql('DELETE FROM analytics_facts WHERE organization_id = $1 AND id = ANY($2::bigint[])', [
    organizationId,
    facts.map(({ id }) => id),
  ]);
  return facts.length;
}

interface Block extends Series {
  readonly level: Level;
  readonly startsAtMs: number;
  readonly tally: Tally;
}

/** Maps digests to caller numbers. New callers get the next ones; the lock makes that safe. */
async function numberCallers(
  sql: Sql,
  organizationId: string,
  facts: readonly { caller: string | null }[],
): Promise<Map<string, number>> {
  const digests = [...new Set(facts.flatMap(({ caller }) => caller ?? []))];
  if (digests.length === 0) return new Map();
  await sql(NUMBER_CALLERS, [organizationId, digests]);
  const rows = await sql<{ digest: string; number: number }>(
    `SELECT encode(digest, 'hex') AS digest, number FROM analytics_callers
     WHERE organization_id = $1 AND digest = ANY (SELECT decode(d, 'hex') FROM unnest($2::text[]) AS d)`,
    [organizationId, digests],
  );
  return new Map(rows.map(({ digest, number }) => [digest, number]));
}

/**
 * The blocks of these facts. Facts with equal dimensions are added up first: a fact belongs to two
 * dozen blocks, and most facts of a batch share them.
 */
function tallyBlocks(
  facts: readonly (FactRow & { caller: string | null })[],
  numbers: ReadonlyMap<string, number>,
): Map<string, Block> {
  const groups = new Map<string, { fact: FactRow; tally: Tally }>();
  for (const fact of facts) {
    const key = [fact.starts_at.getTime(), ...DIMENSIONS.map((dimension) => fact[dimension])].join('\0');
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { fact, tally: newTally() }));
    addFact(group.tally, fact, fact.caller === null ? undefined : numbers.get(fact.caller));
  }
  const blocks = new Map<string, Block>();
  for (const { fact, tally } of groups.values()) {
    for (const series of listSeries(fact)) {
      for (const level of LEVELS) {
        const startsAtMs = floorToBlock(level, fact.starts_at.getTime());
        const key = blockKey(series, level, startsAtMs);
        let block = blocks.get(key);
        if (!block) blocks.set(key, (block = { ...series, level, startsAtMs, tally: newTally() }));
        addTally(block.tally, tally);
      }
    }
  }
  return blocks;
}

function blockKey({ botId, dimension, value }: Series, level: number, startsAtMs: number): string {
  return [botId, dimension, level, startsAtMs, value].join('\0');
}

type StoredBlock = RollupCounts & {
  readonly bot_id: string;
  readonly dimension: Series['dimension'];
  readonly level: Level;
  readonly starts_at: Date;
  readonly value: string;
  readonly distributions: Uint8Array;
  readonly callers: Uint8Array;
};

/** Adds the stored rollups of these blocks. */
async function addStoredBlocks(
  sql: Sql,
  organizationId: string,
  blocks: ReadonlyMap<string, Block>,
): Promise<void> {
  for (const row of await sql<StoredBlock>(READ_BLOCKS, [
    organizationId,
    ...keyColumns([...blocks.values()]),
  ])) {
    const series = { botId: row.bot_id, dimension: row.dimension, value: row.value };
    const { tally } = blocks.get(blockKey(series, row.level, row.starts_at.getTime()))!;
    addRollup(tally, row, { distributions: row.distributions });
    eachCaller(decodeCallers(row.callers), (number) => tally.callers.add(number));
  }
}

async function storeBlocks(
  sql: Sql,
  organizationId: string,
  blocks: ReadonlyMap<string, Block>,
): Promise<void> {
  const all = [...blocks.values()];
  const encoded = all.map(({ tally }) => encodeTally(tally));
  await sql(UPSERT_BLOCKS, [
    organizationId,
    ...keyColumns(all),
    ...COUNTERS.map((counter) => all.map(({ tally }) => tally.counts[counter])),
    encoded.map(({ distributions }) => distributions),
    encoded.map(({ callers }) => callers),
  ]);
}

/** The keys of the blocks without the organisation, one array a column. */
function keyColumns(blocks: readonly Block[]): unknown[] {
  return [
    blocks.map(({ botId }) => botId),
    blocks.map(({ dimension }) => dimension),
    blocks.map(({ level }) => level),
    blocks.map(({ startsAtMs }) => new Date(startsAtMs).toISOString()),
    blocks.map(({ value }) => value),
  ];
}

/** One index step for each organisation, however many facts it has. */
const ORGANIZATIONS = `
  WITH RECURSIVE found AS (
    (SELECT organization_id FROM analytics_facts ORDER BY organization_id LIMIT 1)
    UNION ALL
    SELECT (SELECT organization_id FROM analytics_facts WHERE organization_id > found.organization_id
            ORDER BY organization_id LIMIT 1)
    FROM found WHERE found.organization_id IS NOT NULL)
  SELECT organization_id FROM found WHERE organization_id IS NOT NULL`;

/** Held until the transaction ends. A hash collision only makes two organisations wait. */
const TRY_LOCK = `SELECT pg_try_advisory_xact_lock(hashtextextended('analytics fold of ' || $1, 0)) AS mine`;

/** Further facts wait for the next round. */
const READ_FACTS = `
  SELECT id, encode(caller, 'hex') AS caller, ${FACT_COLUMNS}
  FROM (${boundedFacts(`SELECT * FROM analytics_facts WHERE organization_id = $1 ORDER BY id LIMIT $2`)}) AS facts
  ORDER BY id`;

const NUMBER_CALLERS = `
  INSERT INTO analytics_callers (organization_id, digest, number)
  SELECT $1, d.digest, (SELECT coalesce(max(number), -1) FROM analytics_callers WHERE organization_id = $1)
    + row_number() OVER ()
  FROM (SELECT decode(hex, 'hex') AS digest FROM unnest($2::text[]) AS hex) AS d
  WHERE NOT EXISTS (SELECT FROM analytics_callers AS c WHERE c.organization_id = $1 AND c.digest = d.digest)`;

const KEYS = 'bot_id, dimension, level, starts_at, value';
const KEY_ARRAYS = '$2::text[], $3::text[], $4::smallint[], $5::timestamptz[], $6::text[]';

const READ_BLOCKS = `
  SELECT r.bot_id, r.dimension, r.level, r.starts_at, r.value, r.distributions, r.callers,
    ${COUNTERS.map((counter) => `r.${counter}`).join(', ')}
  FROM unnest(${KEY_ARRAYS}) AS k(${KEYS})
  JOIN analytics_rollups AS r ON r.organization_id = $1 AND r.bot_id = k.bot_id AND r.dimension = k.dimension
    AND r.level = k.level AND r.starts_at = k.starts_at AND r.value = k.value`;

const COLUMNS = [...COUNTERS, 'distributions', 'callers'] as const;

/** Overwrites: the blocks include the stored figures. */
const UPSERT_BLOCKS = `
  INSERT INTO analytics_rollups (organization_id, ${KEYS}, ${COLUMNS.join(', ')})
  SELECT $1, k.* FROM unnest(${KEY_ARRAYS},
    ${COUNTERS.map((_, index) => `$${7 + index}::bigint[]`).join(', ')},
    $${7 + COUNTERS.length}::bytea[], $${8 + COUNTERS.length}::bytea[]) AS k
  ON CONFLICT (organization_id, ${KEYS})
  DO UPDATE SET ${COLUMNS.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`;
