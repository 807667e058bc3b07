// Which partitions a table needs: one a week, created ahead and dropped when all of it is old.
import { firstIdAt, readIdTime } from '@parley/server/runtime';

const DAY_MS = 86_400_000;
/** A partition's range. Retention keeps rows up to this much longer. */
export const SPAN_MS = 7 * DAY_MS;
/** Weeks that exist before they begin: as long may all workers be away. */
const AHEAD_MS = 14 * DAY_MS;

/**
 * A table in partitions by ids that begin with their time. `<table>_earlier` and `<table>_later`
 * are its first and last partitions, without a lower and an upper bound, so no row is refused.
 */
export interface PartitionedTable {
  readonly table: string;
  /** The column by which it is partitioned. */
  readonly key: string;
  /** Of its ids. */
  readonly prefix: string;
}

/** From `from` to before `to`; null: without a bound. */
export interface Partition {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A partition with bounds. */
export interface Range extends Partition {
  readonly from: string;
  readonly to: string;
}

export interface PartitionPlan {
  /** All old ones, the first partition among them; empty: none is to be dropped. */
  readonly drop: readonly string[];
  /** Where the new first partition ends. */
  readonly earlierTo: string;
  /** The first one is made of the last partition with its rows; empty: there are enough. */
  readonly create: readonly Range[];
}

export const toEarlier = (table: string) => `${table}_earlier`;
export const toLater = (table: string) => `${table}_later`;

/** Partitions before `keptFromMs` are old. */
export function planPartitions(
  { table, prefix }: PartitionedTable,
  partitions: readonly Partition[],
  { nowMs, keptFromMs }: { readonly nowMs: number; readonly keptFromMs: number },
): PartitionPlan {
  const keptFrom = firstIdAt(prefix, keptFromMs);
  const old = partitions.flatMap(({ to }) => (to !== null && to <= keptFrom ? to : []));
  const drop = partitions.filter(({ to }) => to !== null && old.includes(to)).map(({ name }) => name);
  const laterFromMs = readLaterMs(partitions);
  return {
    drop: drop.length > 1 ? drop : [], // the first one alone: nothing is older
    earlierTo: old.sort().at(-1) ?? '',
    create: [...listWeeks(laterFromMs, nowMs)].map(({ fromMs, toMs }) => ({
      name: `${table}_${new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')}`,
      from: firstIdAt(prefix, fromMs),
      to: firstIdAt(prefix, toMs),
    })),
  };
}

/**
 * The statements of a plan, for one transaction. The table is locked before its partitions, as
 * readers do. `options` are storage parameters of new partitions.
 */
export function writeChanges(
  { table, key }: PartitionedTable,
  { create, drop, earlierTo }: PartitionPlan,
  options: string,
): string[] {
  const statements = [`LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`];
  const add = (name: string, from: string, to: string) =>
    statements.push(
      `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${to})${options}`,
    );
  const [first, ...others] = create;
  if (first !== undefined) {
    const later = toLater(table);
    statements.push(`ALTER TABLE ${table} DETACH PARTITION ${later}`);
    statements.push(`ALTER TABLE ${later} RENAME TO ${first.name}`);
    for (const { name, from, to } of others) add(name, `'${from}'`, `'${to}'`);
    add(later, `'${create.at(-1)!.to}'`, 'MAXVALUE');
    statements.push(
      // Of a clock that was ahead.
      `WITH moved AS (DELETE FROM ${first.name} WHERE ${key} >= '${first.to}' RETURNING *)
       INSERT INTO ${table} SELECT * FROM moved`,
      `ALTER TABLE ${table} ATTACH PARTITION ${first.name} FOR VALUES FROM ('${first.from}') TO ('${first.to}')`,
    );
  }
  if (drop.length > 0) {
    statements.push(`DROP TABLE ${drop.join(', ')}`);
    add(toEarlier(table), 'MINVALUE', `'${earlierTo}'`);
  }
  return statements;
}

/** Where the last partition begins (epoch, milliseconds): until then there are partitions. */
export function readLaterMs(partitions: readonly Partition[]): number {
  const later = partitions.find(({ to }) => to === null);
  if (later?.from == null) throw new Error('the table has no last partition');
  return readIdTime(later.from);
}

/** The first one reaches until now, however long nobody created any. */
function* listWeeks(fromMs: number, nowMs: number): Generator<{ fromMs: number; toMs: number }> {
  for (let start = fromMs; start < nowMs + AHEAD_MS;) {
    const end = (Math.floor(Math.max(start, start === fromMs ? nowMs : 0) / SPAN_MS) + 1) * SPAN_MS;
    yield { fromMs: start, toMs: end };
    start = end;
  }
}

/** `FOR VALUES FROM ('a') TO (MAXVALUE)`, as Postgres writes it. */
export function parseBounds(text: string): Pick<Partition, 'from' | 'to'> {
  const [, from, to] = /^FOR VALUES FROM \((.+)\) TO \((.+)\)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new Error(`unknown bounds of a partition: ${text}`);
  return { from: toBound(from), to: toBound(to) };
}

const toBound = (text: string) => (text.startsWith("'") ? text.slice(1, -1) : null);
