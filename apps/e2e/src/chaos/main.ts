// `npm run chaos [-- --topology cluster --seconds n --seed n --faults kind,kind --pause n --json]`:
// runs the built services under load and faults, then the account. Exits with 1 when something is
// wrong. Only this file reads process.env and process.argv.
import { readCommandLine, refuseCommandLine } from '@parley/testing';
import { FAULT_KINDS, listFaultKinds, TOPOLOGIES, type FaultKind, type Topology } from './plan.rules.ts';
import { formatReport, listProblems } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { withServices } from './with-services.ts';

const SECONDS_DEFAULT = 60;

const usage = `npm run chaos [-- --topology <name> --seconds <n> --seed <n> --faults <kind,…> --pause <n> --json]
Topologies: ${TOPOLOGIES.join(' ')}
Faults: ${FAULT_KINDS.join(' ')}`;

const { values } = readCommandLine(usage, {
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    topology: { type: 'string', default: 'single' },
    pause: { type: 'string' },
    json: { type: 'boolean' },
  },
});
const seconds = Number(values.seconds ?? SECONDS_DEFAULT);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const topology = values.topology as Topology;
const possible = TOPOLOGIES.includes(topology) ? listFaultKinds(topology) : [];
const kinds = (values.faults?.split(',') ?? possible) as FaultKind[];
if (!(seconds > 0) || !Number.isInteger(seed))
  refuseCommandLine(usage, '--seconds is a number above 0, and --seed an integer');
if (kinds.length === 0 || kinds.some((kind) => !possible.includes(kind)))
  refuseCommandLine(
    usage,
    `--topology ${topology} has the faults ${possible.join(' ') || '(none: unknown)'}`,
  );
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);

process.exitCode = await withServices({ name: 'chaos', env: process.env, say, topology }, async (world) => {
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
