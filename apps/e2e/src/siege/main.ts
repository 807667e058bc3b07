// `npm run siege [-- --only <words> --json]`: every attack on services that are built and started for it. Ends with status 1 when
// something falls. The only reader of process.env and process.argv here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lineReport, startStack } from '@parley/local-stack';
import { attacks as everyAttack } from './attacks.ts';
import { besiegedProcess, clusterHeap, neighbourKey } from './fortress.ts';
import { bounds, runAttack, type SiegeRow } from './run-siege.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'boolean' } } });
const attacks = everyAttack.filter(({ name }) => name.includes(values.only ?? ''));
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopping.abort(new Error('stopped')));

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
const home = mkdtempSync(join(tmpdir(), 'parley-siege-'));
const services = [...new Set(attacks.map(({ service }) => service))];
const stack = await startStack({
  root,
  home,
  env: { ...process.env, NODE_OPTIONS: clusterHeap(root), LOG_LEVEL: 'warn' },
  report: lineReport(say, () => performance.now()),
  services,
  throwaway: true,
  signal: stopping.signal,
});
try {
  const rows: SiegeRow[] = [];
  say(`\n/health within ${bounds.healthMs} ms, the neighbour's p99 below ${bounds.p99Ratio} x\n`);
  const processes = new Map(
    await Promise.all(
      services.map(async (name) => [name, await besiegedProcess(stack, root, name)] as const),
    ),
  );
  const neighbours = new Map(
    await Promise.all(services.map(async (name) => [name, await neighbourKey(stack, root, name)] as const)),
  );
  for (const attack of attacks) {
    stopping.signal.throwIfAborted();
    const neighbour = neighbours.get(attack.service)!;
    const besieged = processes.get(attack.service)!;
    const attacker = stack.services[attack.service].apiKey;
    const row = await runAttack({ process: besieged, attacker, neighbour, signal: stopping.signal }, attack);
    rows.push(row);
    const figures = `${row.status} ${row.code.padEnd(18)} ${row.ms.toFixed(0).padStart(6)} ms  /health ${row.healthMsWorst.toFixed(0).padStart(4)} ms  p99 ${row.p99Ratio.toFixed(2)} x`;
    say(
      `${row.fallen.length === 0 ? '✓' : '✗'} ${row.attack.padEnd(72)} ${figures}${row.fallen.map((what) => `\n    ${what}`).join('')}`,
    );
    if (row.fallen.includes('the process ended')) break;
  }
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  const fell = rows.filter((row) => row.fallen.length > 0).length;
  say(fell === 0 ? '\nEverything held.' : `\n${fell} of ${rows.length} fell.`);
  process.exitCode = fell === 0 ? 0 : 1;
} finally {
  await stack.stop();
  rmSync(home, { recursive: true, force: true });
}
