// `npm run chaos [-- --topology cluster --seconds n --seed n --faults kind,kind --pause n --json]`: the built services under
// load and faults, then the account. Ends with status 1 when anything is wrong. The only reader of process.env and
// process.argv here.
import { parseArgs } from 'node:util';
import { FAULT_KINDS, faultKindsOf, TOPOLOGIES, type FaultKind, type Topology } from './plan.rules.ts';
import { tables, verdict } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { withServices } from './with-services.ts';

const SECONDS_DEFAULT = 60;

const { values } = parseArgs({
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
const possible = TOPOLOGIES.includes(topology) ? faultKindsOf(topology) : [];
const kinds = (values.faults?.split(',') ?? possible) as FaultKind[];
if (
  !(seconds > 0) ||
  !Number.isInteger(seed) ||
  kinds.length === 0 ||
  kinds.some((kind) => !possible.includes(kind))
) {
  console.error(
    'Usage: npm run chaos [-- --topology <name> --seconds <n> --seed <n> --faults <kind,…> --pause <n> --json]',
  );
  console.error(`Topologies: ${TOPOLOGIES.join(' ')}`);
  console.error(`Faults: ${FAULT_KINDS.join(' ')}`);
  process.exit(1);
}
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);

process.exitCode = await withServices({ name: 'chaos', env: process.env, say, topology }, async (world) => {
  say(`\n${topology}, seed ${seed}, ${seconds} s`);
  const { stack, receivers, book } = world;
  const { report, living } = await runChaos(stack, receivers, book, {
    ...world,
    seconds,
    seed,
    kinds,
    pauseMs: values.pause === undefined ? undefined : Number(values.pause) * 1000,
    print: say,
  });
  tables(report).forEach(say);
  return { wrong: verdict(report), json: values.json ? report : undefined, living };
});
