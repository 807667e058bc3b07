// `parley rewrap`: reseals all columns under the first key of DATA_KEY, so that you can remove the
// old key. Works in batches while the service runs; a second run continues after an interruption.
import type { Command, Option } from 'commander';
import type pg from 'pg';
import { sqlOf, type Sql } from '@parley/server/postgres';
import { parseKeyring, seal, unseal, type Environment, type Keyring } from '@parley/server/runtime';
import { sealedColumns, type SealedColumn } from '@parley/server/sealed-columns';
import { createSecretReader, withConnection, type Service } from './services.ts';

/** Rows per statement; holds locks for some milliseconds. */
const BATCH = 500;
/** Unreadable rows that the error names. */
const LISTED_MAX = 10;

export interface RewrapOptions {
  readonly product: Service;
  readonly databaseUrl?: string;
  readonly dataKey?: string;
}

export interface RewrapContext {
  readonly env: Environment;
  readonly print: (line: string) => void;
}

/** @throws Error when DATA_KEY lacks the key of some rows; all others are resealed. */
export async function rewrap({ env, print }: RewrapContext, options: RewrapOptions): Promise<void> {
  const reference = options.dataKey ?? env['DATA_KEY'];
  if (!reference) throw new Error('no key: pass --data-key or set DATA_KEY to the reference of the service');
  const keyring = parseKeyring((await createSecretReader(env).resolve(reference)).reveal());
  await withConnection(env, options, async (client: pg.Client) => {
    const unreadable: string[] = [];
    for (const column of sealedColumns[options.product]) {
      unreadable.push(...(await rewrapColumn(sqlOf(client), column, keyring, print)));
    }
    if (unreadable.length === 0) return retireKeys(client, keyring, print);
    const named = unreadable.slice(0, LISTED_MAX).join(', ');
    throw new Error(`${unreadable.length} could not be opened with the given keys: ${named}`);
  });
  print(`${options.product}: every stored secret is sealed under "${getNewestKeyId(keyring)}"`);
}

/** A service that still seals under an old key records that key again. */
async function retireKeys(client: pg.Client, keyring: Keyring, print: RewrapContext['print']): Promise<void> {
  const retired = await sqlOf(client)<{ id: string; at: Date }>(
    `UPDATE data_keys SET rewrapped_at = now()
     WHERE id <> $1 AND rewrapped_at IS NULL RETURNING id, rewrapped_at AS at`,
    [getNewestKeyId(keyring)],
  );
  for (const { id, at } of retired) {
    print(
      `keep "${id}" in DATA_KEY for a day, and in your secret store until every backup from before ${at.toISOString()} is gone: they need it`,
    );
  }
}

function getNewestKeyId(keyring: Keyring): string {
  const [[id]] = [...keyring] as [[string, unknown]];
  return id;
}

interface Row {
  readonly id: string;
  readonly organizationId: string;
  readonly sealed: string;
}

/** @returns the rows that no key opens. */
async function rewrapColumn(
  sql: Sql,
  { table, column, buildContext }: SealedColumn,
  keyring: Keyring,
  print: RewrapContext['print'],
): Promise<string[]> {
  const name = `${table}.${column}`;
  const newest = `s1.${getNewestKeyId(keyring)}.`;
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
        return [{ ...row, resealed: seal(keyring, unseal(keyring, row.sealed, context), context) }];
      } catch {
        closed.push(`${name} of ${row.id}`);
        return [];
      }
    });
    // Skips rows that the service changed since: it sealed them under the newest key.
    await sql(
      `UPDATE ${table} SET ${column} = next.resealed
       FROM unnest($1::text[], $2::text[], $3::text[]) AS next (id, sealed, resealed)
       WHERE ${table}.id = next.id AND ${table}.${column} = next.sealed`,
      [
        opened.map(({ id }) => id),
        opened.map(({ sealed }) => sealed),
        opened.map(({ resealed }) => resealed),
      ],
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
    .description('Reseal stored secrets under the first key of DATA_KEY')
    .addOption(options.product())
    .addOption(options.url())
    .option('--data-key <reference>', 'reference in DATA_KEY of the service, with the new key first')
    .action((given: RewrapOptions) => rewrap(context, given));
}
