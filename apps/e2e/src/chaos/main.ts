// `npm run chaos [-- --topology cluster --seconds n --seed n --faults kind,kind --pause n --json]`:
// runs the built services under load and faults, then the account. With `--runs n` many times, with
// one seed after the other. Exits with 1 when something is wrong. Only this file reads process.env
// and process.argv.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine, refuseCommandLine } from '@parley/testing';
import { FAULT_KINDS, listFaultKinds, TOPOLOGIES, type FaultKind, type Topology } from './plan.rules.ts';
import { formatReport, listProblems } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { canMount } from './small-disk.ts';
import { runSeries } from './run-series.ts';
import { withServices } from './with-services.ts';

const SECONDS_DEFAULT = 60;
const root = fileURLToPath(new URL('../../../..', import.meta.url));

const usage = `npm run chaos [-- --topology <name> --seconds <n> --seed <n> --faults <kind,…> --pause <n> --json | --runs <n>]
Topologies: ${TOPOLOGIES.join(' ')}
Faults: ${FAULT_KINDS.join(' ')}`;

const { values } = readCommandLine(usage, {
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    topology: { type: 'string', default: 'single' },
    pause: { type: 'string' },
    runs: { type: 'string' },
    json: { type: 'boolean' },
  },
});
const seconds = Number(values.seconds ?? SECONDS_DEFAULT);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const topology = values.topology as Topology;
const possible = TOPOLOGIES.includes(topology) ? listFaultKinds(topology, canMount()) : [];
const kinds = (values.faults?.split(',') ?? possible) as FaultKind[];
if (!(seconds > 0) || !Number.isInteger(seed))
  refuseCommandLine(usage, '--seconds is a number above 0, and --seed an integer');
if (kinds.length === 0 || kinds.some((kind) => !possible.includes(kind)))
  refuseCommandLine(
    usage,
    `--topology ${topology} has the faults ${possible.join(' ') || '(none: unknown)'}`,
  );
const runs = values.runs === undefined ? null : Number(values.runs);
if (runs !== null && (values.json || !Number.isInteger(runs) || runs < 1))
  refuseCommandLine(usage, '--runs is an integer above 0, without --json');
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);

process.exitCode = runs === null ? await runOnce() : await runMany(runs);

function runOnce(): Promise<0 | 1> {
  return withServices({ name: 'chaos', env: process.env, say, topology }, async (world) => {
    say(`\n${topology}, seed ${seed}, ${seconds} s`);
    const { stack, receivers, ledger } = world;
    const { report, living } = await runChaos(stack, receivers, ledger, {
      ...world,
      seconds,
      seed,
      kinds,
      pauseMs: values.pause === undefined ? undefined : Number(values.pause) * 1000,
      print: say,
    });
    formatReport(report).forEach(say);
    return { wrong: listProblems(report), json: values.json ? report : undefined, living };
  });
}

/** Without a seed the series is 1, 2, 3…, so that the next call continues it. */
function runMany(count: number): Promise<0 | 1> {
  const args = (['topology', 'seconds', 'faults', 'pause'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  );
  return runSeries({
    runs: count,
    seed: Number(values.seed ?? 1),
    args,
    file: join(root, '.parley', 'chaos', `${args.join('_').replaceAll('--', '')}.jsonl`),
    say,
  });
}
