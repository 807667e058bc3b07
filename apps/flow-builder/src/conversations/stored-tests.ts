// Stores and runs the tests of a flow, and blocks a publish whose tests fail.
import { limits } from '@parley/flow-engine';
import type { z } from 'zod';
import { AppError, decodeCursor, flowBuilderDialect, toPage } from '@parley/envelopes';
import type { TestFailure } from '@parley/flow-analysis';
import { Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import type { FlowTest } from '@parley/store-flow-builder';
import type { Deps } from '../deps.ts';
import { MAIN_THREAD_MS, playTests } from '../heavy/heavy-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { checkSentVersion, loadStoredVersion, type PlayedVersion } from './played-version.ts';
import type { ledgerQuery } from '../versions/schemas.ts';
import { conversationTest, type ConversationTest } from './schemas.ts';
import type { CredentialMask } from '../credentials/mask.ts';
import { createMaskFor } from '../credentials/mask-for-caller.ts';
import { getHead } from '../versions/version-ledger.ts';
import type { FlowKey } from '../versions/runnable-flows.ts';

/** Every publish runs them all. More would make it a batch job. */
export const TESTS_PER_FLOW_MAX = 200;
/** Characters of all tests of a flow together. */
export const TESTS_CHARACTERS_MAX = 8 * 1024 * 1024;

const { time } = flowBuilderDialect;

export interface TestRun {
  /** null: a definition in the request. */
  readonly version: number | null;
  readonly passed: number;
  readonly failed: number;
  readonly results: readonly { name: string; passed: boolean; failures: readonly TestFailure[] }[];
}

/** Stores or replaces a test. @throws AppError not_found, limit_exceeded */
export async function putTest(
  deps: Pick<Deps, 'transact' | 'clock'>,
  caller: Caller,
  flowId: string,
  name: string,
  test: ConversationTest,
): Promise<Reply> {
  const key = { organizationId: caller.organizationId, flowId };
  return deps.transact(async (sql) => {
    await getHead(sql, key, 'FOR UPDATE');
    const by = { principal: caller.principal, nowMs: deps.clock() };
    const { stored, isNew } = await storeTest(sql, key, { name, test }, by);
    return new Reply(stored, { status: isNew ? 201 : 200 });
  });
}

/** The caller holds the lock of the head. @throws AppError limit_exceeded */
export async function storeTest(
  sql: Sql,
  key: FlowKey,
  { name, test }: { readonly name: string; readonly test: ConversationTest },
  by: { readonly principal: string; readonly nowMs: number },
) {
  const [found] = await sql<{ count: number; known: boolean; otherCharacters: number }>(
    `SELECT count(*)::int AS count, coalesce(bool_or(name = $3), false) AS known,
            coalesce(sum(characters) FILTER (WHERE name <> $3), 0)::float8 AS "otherCharacters"
     FROM flow_tests WHERE organization_id = $1 AND flow_id = $2`,
    [key.organizationId, key.flowId, name],
  );
  const { count, known, otherCharacters } = found!;
  if (!known && count >= TESTS_PER_FLOW_MAX) {
    throw new AppError('limit_exceeded', `a flow has at most ${TESTS_PER_FLOW_MAX} stored tests`);
  }
  if (otherCharacters + JSON.stringify(test).length > TESTS_CHARACTERS_MAX) throw tooManyTests();
  const [row] = await sql<StoredTest>(
    `INSERT INTO flow_tests (organization_id, flow_id, name, test, updated_at, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (organization_id, flow_id, name)
     DO UPDATE SET test = EXCLUDED.test, updated_at = EXCLUDED.updated_at, updated_by = EXCLUDED.updated_by
     RETURNING ${TEST}`,
    [key.organizationId, key.flowId, name, JSON.stringify(test), new Date(by.nowMs), by.principal],
  );
  return { stored: toStoredTest(row!), isNew: !known };
}

type StoredTest = Omit<FlowTest, keyof FlowKey>;
const TEST = `name, test, characters, updated_at AS "updatedAt", updated_by AS "updatedBy"`;

/** @throws AppError not_found */
export async function getTest(deps: Pick<Deps, 'sql'>, caller: Caller, flowId: string, name: string) {
  const [test] = await deps.sql<StoredTest>(
    `SELECT ${TEST} FROM flow_tests WHERE organization_id = $1 AND flow_id = $2 AND name = $3`,
    [caller.organizationId, flowId, name],
  );
  if (!test) throw testNotFound(flowId, name);
  return toStoredTest(test);
}

/** @throws AppError not_found */
export async function deleteTest(deps: Pick<Deps, 'sql'>, caller: Caller, flowId: string, name: string) {
  const deleted = await deps.sql(
    'DELETE FROM flow_tests WHERE organization_id = $1 AND flow_id = $2 AND name = $3 RETURNING 1 AS one',
    [caller.organizationId, flowId, name],
  );
  if (deleted.length === 0) throw testNotFound(flowId, name);
  return { name, deleted: true };
}

/** By name. @throws AppError not_found */
export async function listTests(
  deps: Pick<Deps, 'sql'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof ledgerQuery>,
) {
  const key = { organizationId: caller.organizationId, flowId };
  await getHead(deps.sql, key);
  const after = query.cursor ? decodeCursor(query.cursor, 'text')[0] : '';
  // A page ends before it takes too much memory. The cursor continues.
  const limit = await countFittingTests(deps.sql, key, after, query.limit);
  const rows = await readTestsAfter(deps.sql, key, after, limit + 1);
  return toPage(rows, limit, (row) => [row.name], toStoredTest);
}

/**
 * Runs every stored test against a version (default: the latest) or a definition in the request.
 * @throws AppError not_found, invalid_request, limit_exceeded, request_too_costly
 */
export async function runTests(
  deps: Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>,
  caller: Caller,
  flowId: string,
  {
    version,
    definition,
  }: { version: number | undefined; definition?: Readonly<Record<string, unknown>> | undefined },
): Promise<TestRun> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const number = version ?? head.latestVersion;
  const played =
    definition === undefined
      ? await loadStoredVersion(deps.sql, key, number)
      : await checkSentVersion(deps, key, definition);
  const run = await playAll(deps, key, played);
  const shown = createMaskFor(caller);
  const results = run.results.map((result) => ({
    ...result,
    failures: result.failures.map((failure) => maskFailure(shown, failure)),
  }));
  return { ...run, results };
}

/** Actions of a turn may have headers. */
export const maskFailure = (mask: CredentialMask, failure: TestFailure): TestFailure =>
  failure.path.endsWith('/expect/actions') && Array.isArray(failure.actual)
    ? { ...failure, actual: mask.actions(failure.actual as object[]) }
    : failure;

/**
 * A version that was never published must pass the tests (docs/flow-language.md#publishing).
 * @throws AppError tests_failed with the run
 */
export async function refuseFailedTests(
  deps: Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork'>,
  key: FlowKey,
  version: number,
): Promise<void> {
  const published = await deps.sql(
    'SELECT 1 AS one FROM flow_publications WHERE organization_id = $1 AND flow_id = $2 AND version = $3 LIMIT 1',
    [key.organizationId, key.flowId, version],
  );
  if (published.length > 0) return;
  const run = await playAll(deps, key, await loadStoredVersion(deps.sql, key, version));
  if (run.failed === 0) return;
  throw new AppError('tests_failed', `${run.failed} stored tests fail on version ${version}`, {
    details: { run },
  });
}

async function playAll(
  deps: Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork'>,
  key: FlowKey,
  { version, playable, bounds, compiled }: PlayedVersion,
): Promise<TestRun> {
  const playing = {
    nowMs: deps.clock(),
    stepsMax: limits.stepsMax,
    stepsProvedMax: bounds.stepsProvedMax,
  };
  const results: TestRun['results'][number][] = [];
  let left = TESTS_CHARACTERS_MAX;
  for await (const batch of readTestBatches(deps.sql, key)) {
    // Tests may be older than the limit.
    left -= batch.reduce((sum, { characters }) => sum + characters, 0);
    if (left < 0) throw tooManyTests();
    const tests = batch.map(({ name, test }) => ({ name, test: conversationTest.parse(test) }));
    const here = isSmall([playable, tests])
      ? await playTests(compiled(), tests, playing, MAIN_THREAD_MS)
      : [];
    const others = { ...playable, tests: tests.slice(here.length), playing };
    const there = others.tests.length > 0 ? await deps.heavyWork.run(key.organizationId, 'test', others) : [];
    results.push(...here, ...there);
  }
  const passed = results.filter((result) => result.passed).length;
  return { version, passed, failed: results.length - passed, results };
}

/** Characters of tests in memory at once. One test may be as large as a body. */
const BATCH_CHARACTERS = 2 * 1024 * 1024;

/** By name, in batches that fit into memory. */
export async function* readTestBatches(sql: Sql, key: FlowKey): AsyncGenerator<StoredTest[]> {
  let after = '';
  for (;;) {
    const rows = await readTestsAfter(
      sql,
      key,
      after,
      await countFittingTests(sql, key, after, TESTS_PER_FLOW_MAX),
    );
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)!.name;
  }
}

function readTestsAfter(sql: Sql, key: FlowKey, name: string, limit: number): Promise<StoredTest[]> {
  return sql<StoredTest>(
    `SELECT ${TEST} FROM flow_tests
     WHERE organization_id = $1 AND flow_id = $2 AND name > $3 ORDER BY name LIMIT $4::int`,
    [key.organizationId, key.flowId, name, limit],
  );
}

/** How many of the next tests fit into memory: at least one. */
async function countFittingTests(sql: Sql, key: FlowKey, after: string, max: number): Promise<number> {
  const sizes = await sql<{ characters: number }>(
    `SELECT characters FROM flow_tests
     WHERE organization_id = $1 AND flow_id = $2 AND name > $3 ORDER BY name LIMIT $4::int`,
    [key.organizationId, key.flowId, after, max],
  );
  let left = BATCH_CHARACTERS;
  const fitting = sizes.findIndex(({ characters }) => (left -= characters) < 0);
  return fitting === -1 ? max : Math.max(1, fitting);
}

function toStoredTest(row: StoredTest) {
  return {
    name: row.name,
    test: conversationTest.parse(row.test),
    updated_at: time(row.updatedAt),
    updated_by: row.updatedBy,
  };
}

function testNotFound(flowId: string, name: string): AppError {
  return new AppError('not_found', `flow "${flowId}" has no test "${name}"`);
}

export function tooManyTests(): AppError {
  return new AppError(
    'limit_exceeded',
    `the stored tests of a flow take at most ${TESTS_CHARACTERS_MAX} characters together`,
  );
}
