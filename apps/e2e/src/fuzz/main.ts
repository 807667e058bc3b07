// `npm run fuzz [-- --runs n --seed n --json]`: a long run of the fuzzer on services started for
// it. Exits with 1 when something is wrong. Only this file reads process.env and process.argv.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine, refuseCommandLine } from '@parley/testing';
import { lineReport } from '@parley/testing/servers';
import { startStack } from '@parley/dev/stack';
import { runFuzz } from './run-fuzz.ts';
import { identityEnvironment, createWorld } from './world.ts';

const RUNS_DEFAULT = 2_000;
/** Operations in the printed table of costs; `--json` has all. */
const COSTS_SHOWN = 10;

const usage = 'npm run fuzz [-- --runs <n> --seed <n> --json]';

const { values } = readCommandLine(usage, {
  options: { runs: { type: 'string' }, seed: { type: 'string' }, json: { type: 'boolean' } },
});
const runs = Number(values.runs ?? RUNS_DEFAULT);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed))
  refuseCommandLine(usage, '--runs is an integer from 1 on, and --seed an integer');
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopping.abort(new Error('stopped')));

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
const home = mkdtempSync(join(tmpdir(), 'parley-fuzz-'));
const secret = randomBytes(32).toString('hex');
const stack = await startStack({
  root,
  home,
  released: true,
  env: { ...process.env, ...identityEnvironment(secret), LOG_LEVEL: 'warn' },
  report: lineReport(say, () => performance.now()),
  throwaway: true,
  signal: stopping.signal,
});
try {
  const world = await createWorld(stack, secret);
  const report = await runFuzz(world, { runs, seed, signal: stopping.signal, print: say });
  if (values.json) console.log(JSON.stringify(report, null, 2));
  for (const problem of report.problems) say(`\n✗ ${JSON.stringify(problem, null, 2)}`);
  const counts = Object.entries(report.statuses).map(([status, count]) => `${status}: ${count}`);
  say(`\nseed ${seed}: ${runs} requests to ${report.operations} operations, answered ${counts.join(', ')}`);
  if (report.neverSucceeded.length > 0) say(`never with success: ${report.neverSucceeded.join(', ')}`);
  say('\nslowest answer, and the longest block of the event loop when it was asked for again, alone:');
  for (const { operation, slowestMs, blockMs } of report.costs.slice(0, COSTS_SHOWN))
    say(
      `  ${operation.padEnd(44)} ${slowestMs.toFixed(0).padStart(6)} ms ${blockMs.toFixed(0).padStart(6)} ms`,
    );
  say(report.problems.length === 0 ? 'Nothing is wrong.' : `${report.problems.length} problems.`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} finally {
  await stack.stop();
  rmSync(home, { recursive: true, force: true });
}
