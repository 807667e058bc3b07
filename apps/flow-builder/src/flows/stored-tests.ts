// Golden conversations stored with a flow: PUT, GET, DELETE, list, run; and the gate that publish asks.
import { z } from 'zod';
import { AppError, decodeCursor, flowBuilderDialect, toPage } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/http';
import type { FlowTest, Prisma } from '@parley/store-flow-builder';
import type { Deps, Tx } from '../deps.ts';
import { playTests } from '../heavy/heavy-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import type { RunnableVersion } from './runnable-flows.ts';
import { conversationTest, type ConversationTest, type ledgerQuery } from './schemas.ts';
import { getHead, lockHead } from './version-ledger.ts';
import type { FlowKey } from './runnable-flows.ts';

/** A publish runs them all: more would make it a batch job. */
const TESTS_PER_FLOW_MAX = 200;
/** Characters of all tests of a flow together. */
const TESTS_CHARACTERS_MAX = 8 * 1024 * 1024;

const { time } = flowBuilderDialect;

export interface TestRun {
  readonly version: number;
  readonly passed: number;
  readonly failed: number;
  readonly results: readonly { name: string; passed: boolean; failures: readonly object[] }[];
}

/** Stores a test, or replaces it. @throws AppError not_found, limit_exceeded */
export async function putTest(
  deps: Pick<Deps, 'transact' | 'clock'>,
  caller: Caller,
  flowId: string,
  name: string,
  test: ConversationTest,
): Promise<Reply> {
  const key = { organizationId: caller.organizationId, flowId };
  return deps.transact(async (tx, sql) => {
    await lockHead(tx, sql, key);
    const where = { organizationId_flowId_name: { ...key, name } };
    const known = await tx.flowTest.findUnique({ where });
    if (!known && (await tx.flowTest.count({ where: key })) >= TESTS_PER_FLOW_MAX) {
      throw new AppError('limit_exceeded', `a flow has at most ${TESTS_PER_FLOW_MAX} stored tests`);
    }
    const [others] = await sql<{ characters: number }>(
      `SELECT coalesce(sum(length(test::text)), 0)::float8 AS characters FROM flow_tests
       WHERE organization_id = $1 AND flow_id = $2 AND name <> $3`,
      [key.organizationId, flowId, name],
    );
    if ((others?.characters ?? 0) + JSON.stringify(test).length > TESTS_CHARACTERS_MAX) throw tooManyTests();
    const data = {
      test: test as unknown as Prisma.InputJsonObject,
      updatedAt: new Date(deps.clock()),
      updatedBy: caller.principal,
    };
    const stored = await tx.flowTest.upsert({ where, create: { ...key, name, ...data }, update: data });
    return new Reply(testView(stored), { status: known ? 200 : 201 });
  });
}

/** @throws AppError not_found */
export async function getTest(deps: Pick<Deps, 'db'>, caller: Caller, flowId: string, name: string) {
  const key = { organizationId: caller.organizationId, flowId };
  const test = await deps.db.flowTest.findUnique({ where: { organizationId_flowId_name: { ...key, name } } });
  if (!test) throw noTest(flowId, name);
  return testView(test);
}

/** @throws AppError not_found */
export async function deleteTest(deps: Pick<Deps, 'db'>, caller: Caller, flowId: string, name: string) {
  const key = { organizationId: caller.organizationId, flowId };
  const { count } = await deps.db.flowTest.deleteMany({ where: { ...key, name } });
  if (count === 0) throw noTest(flowId, name);
  return { name, deleted: true };
}

/** By name. @throws AppError not_found */
export async function listTests(
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  flowId: string,
  query: z.output<typeof ledgerQuery>,
) {
  const key = { organizationId: caller.organizationId, flowId };
  await getHead(deps.db, key);
  const after = query.cursor ? decodeCursor(query.cursor, z.tuple([z.string()]))[0] : '';
  // A page ends where it would take too much memory: the cursor goes on from there.
  const limit = await testsThatFit(deps.db, key, after, query.limit);
  const rows = await deps.db.flowTest.findMany({
    where: { ...key, name: { gt: after } },
    orderBy: { name: 'asc' },
    take: limit + 1,
  });
  return toPage(rows, limit, (row) => [row.name], testView);
}

/** Runs every stored test against a version, the latest when none is given. @throws AppError not_found */
export async function runTests(
  deps: Pick<Deps, 'db' | 'runnableFlows' | 'clock' | 'config' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  version: number | undefined,
): Promise<TestRun> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.db, key);
  const number = version ?? head.latestVersion;
  const runnable = await deps.runnableFlows.getVersion(key, number);
  return playAll(deps, deps.db, key, number, runnable);
}

/**
 * The gate of publish: a version that was never published must pass the flow's tests (spec flow-builder §8).
 * @throws AppError tests_failed with the run
 */
export async function refuseFailedTests(
  deps: Pick<Deps, 'runnableFlows' | 'clock' | 'config' | 'heavyWork'>,
  tx: Tx,
  key: FlowKey,
  version: number,
): Promise<void> {
  if ((await tx.flowPublication.count({ where: { ...key, version } })) > 0) return;
  const runnable = await deps.runnableFlows.getVersion(key, version);
  const run = await playAll(deps, tx, key, version, runnable);
  if (run.failed === 0) return;
  throw new AppError('tests_failed', `${run.failed} stored tests fail on version ${version}`, {
    details: { run },
  });
}

async function playAll(
  deps: Pick<Deps, 'clock' | 'config' | 'heavyWork'>,
  tx: Tx,
  key: FlowKey,
  version: number,
  runnable: RunnableVersion,
): Promise<TestRun> {
  const playing = {
    nowMs: deps.clock(),
    stepsMax: deps.config.FLOW_STEPS_MAX,
    stepsProvedMax: runnable.stepsProvedMax,
  };
  const { definition } = runnable.compiled.model;
  const results: TestRun['results'][number][] = [];
  let left = TESTS_CHARACTERS_MAX;
  for await (const batch of testBatches(tx, key)) {
    // There may be more that were stored before there was a limit.
    left -= batch.reduce((sum, { test }) => sum + JSON.stringify(test).length, 0);
    if (left < 0) throw tooManyTests();
    const tests = batch.map(({ name, test }) => ({ name, test: conversationTest.parse(test) }));
    const played = isSmall([definition, tests])
      ? await playTests(runnable.compiled, tests, playing)
      : await deps.heavyWork.run(key.organizationId, 'test', { definition, tests, playing });
    results.push(...played);
  }
  const passed = results.filter((result) => result.passed).length;
  return { version, passed, failed: results.length - passed, results };
}

/** Of the tests that are in memory together; a single one may be as large as a body. */
const BATCH_CHARACTERS = 2 * 1024 * 1024;

/** By name, so many together as fit into memory. */
async function* testBatches(tx: Tx, key: FlowKey, max = TESTS_PER_FLOW_MAX): AsyncGenerator<FlowTest[]> {
  let after = '';
  for (;;) {
    const rows = await tx.flowTest.findMany({
      where: { ...key, name: { gt: after } },
      orderBy: { name: 'asc' },
      take: await testsThatFit(tx, key, after, max),
    });
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)!.name;
  }
}

/** How many of the next tests are read together: at least one. */
async function testsThatFit(tx: Tx, key: FlowKey, after: string, max: number): Promise<number> {
  const sizes = await tx.$queryRaw<{ characters: number }[]>`
    SELECT length(test::text) AS characters FROM flow_tests
    WHERE organization_id = ${key.organizationId} AND flow_id = ${key.flowId} AND name > ${after}
    ORDER BY name LIMIT ${max}`;
  let left = BATCH_CHARACTERS;
  const fitting = sizes.findIndex(({ characters }) => (left -= characters) < 0);
  return fitting === -1 ? max : Math.max(1, fitting);
}

function testView(row: FlowTest) {
  return {
    name: row.name,
    test: conversationTest.parse(row.test),
    updated_at: time(row.updatedAt),
    updated_by: row.updatedBy,
  };
}

function noTest(flowId: string, name: string): AppError {
  return new AppError('not_found', `flow "${flowId}" has no test "${name}"`);
}

function tooManyTests(): AppError {
  return new AppError(
    'limit_exceeded',
    `the stored tests of a flow take at most ${TESTS_CHARACTERS_MAX} characters together`,
  );
}
