// `parley rewrap`: seals anew, under the first key of DATA_KEY, what is still sealed under another one, so that the old key can go. In
// batches beside the running service; killed, it is started again and goes on with what is left.
import type { Command, Option } from 'commander';
import type pg from 'pg';
import { sqlOf, type Sql } from '@parley/postgres';
import { parseKeyring, seal, unseal, type Environment, type Keyring } from '@parley/runtime';
import { sealedColumns, type SealedColumn } from '@parley/sealed-columns';
import { secretsOf, withConnection, type Service } from './services.ts';

/** Rows of one statement: some milliseconds of locks. */
const BATCH = 500;
/** Rows that cannot be opened are named up to here. */
const NAMED_MAX = 10;

export interface RewrapOptions {
  readonly product: Service;
  readonly databaseUrl?: string;
  readonly dataKey?: string;
}

export interface RewrapContext {
  readonly env: Environment;
  readonly print: (line: string) => void;
}

/** @throws Error when something could not be opened: the key that it was sealed under is not in DATA_KEY. Everything else is done. */
export async function rewrap({ env, print }: RewrapContext, options: RewrapOptions): Promise<void> {
  const reference = options.dataKey ?? env['DATA_KEY'];
  if (!reference)
    throw new Error('no key: give --data-key, or set DATA_KEY, to the reference that the service has');
  const keyring = parseKeyring((await secretsOf(env).resolve(reference)).reveal());
  await withConnection(env, options, async (client: pg.Client) => {
    const closed: string[] = [];
    for (const column of sealedColumns[options.product]) {
      closed.push(...(await rewrapColumn(sqlOf(client), column, keyring, print)));
    }
    if (closed.length === 0) return;
    const named = closed.slice(0, NAMED_MAX).join(', ');
    throw new Error(`${closed.length} could not be opened with the keys given: ${named}`);
  });
  print(`${options.product}: all that lasts is sealed under "${newestOf(keyring)}"`);
}

function newestOf(keyring: Keyring): string {
  const [[id]] = [...keyring] as [[string, unknown]];
  return id;
}

interface Row {
  readonly id: string;
  readonly organizationId: string;
  readonly sealed: string;
}

/** Gives what could not be opened. */
async function rewrapColumn(
  sql: Sql,
  { table, column, buildContext }: SealedColumn,
  keyring: Keyring,
  print: RewrapContext['print'],
): Promise<string[]> {
  const name = `${table}.${column}`;
  const newest = `s1.${newestOf(keyring)}.`;
  const [{ count: all } = { count: 0 }] = await sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE NOT starts_with(${column}, $1)`,
    [newest],
  );
  const closed: string[] = [];
  let done = 0;
  for (let after = ''; ;) {
    const rows = await sql<Row>(
      `SELECT id, organization_id AS "organizationId", ${column} AS sealed FROM ${table}
       WHERE id > $1 AND NOT starts_with(${column}, $2) ORDER BY id LIMIT ${BATCH}`,
      [after, newest],
    );
    const opened = rows.flatMap((row) => {
      try {
        const context = buildContext(row);
        return [{ ...row, anew: seal(keyring, unseal(keyring, row.sealed, context), context) }];
      } catch {
        closed.push(`${name} of ${row.id}`);
        return [];
      }
    });
    // What the service has changed meanwhile is sealed under the newest key already, and stays.
    await sql(
      `UPDATE ${table} SET ${column} = next.anew
       FROM unnest($1::text[], $2::text[], $3::text[]) AS next (id, sealed, anew)
       WHERE ${table}.id = next.id AND ${table}.${column} = next.sealed`,
      [opened.map(({ id }) => id), opened.map(({ sealed }) => sealed), opened.map(({ anew }) => anew)],
    );
    done += rows.length;
    print(`${name}: ${done} of ${Math.max(all, done)}`);
    if (rows.length < BATCH) return closed;
    after = rows.at(-1)!.id;
  }
}

export function addRewrap(
  parley: Command,
  context: RewrapContext,
  options: { product: () => Option; url: () => Option },
): void {
  parley
    .command('rewrap')
    .description('Seal anew, under the first key of DATA_KEY, what is sealed under another one')
    .addOption(options.product())
    .addOption(options.url())
    .option('--data-key <reference>', 'what the service has in DATA_KEY, the new key in front')
    .action((given: RewrapOptions) => rewrap(context, given));
}
