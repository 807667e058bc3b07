// `npm run siege [-- --only <words> --json]`: runs every attack on services started for it. Exits
// with 1 when one succeeds. Only this file reads process.env and process.argv.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '@parley/testing';
import { lineReport } from '@parley/testing/servers';
import { startStack } from '@parley/dev/stack';
import type { TargetName } from './attack.ts';
import { attacks as everyAttack } from './attacks.ts';
import { clusterHeap, startTarget } from './target.ts';
import { bounds, emptyBaseline, runAttack, warmUp, type SiegeRow } from './run-siege.ts';

const { values } = readCommandLine('npm run siege [-- --only <words> --json]', {
  options: { only: { type: 'string' }, json: { type: 'boolean' } },
});
const attacks = everyAttack.filter(({ service, name }) => `${service}: ${name}`.includes(values.only ?? ''));
const say = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopping.abort(new Error('stopped')));

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
const home = mkdtempSync(join(tmpdir(), 'parley-siege-'));
const besieged = [...new Set(attacks.map(({ service }) => service))];
const behind = (one: TargetName) =>
  one === 'console' ? (['flow-builder', 'notifications'] as const) : [one];
const stack = await startStack({
  root,
  home,
  released: true,
  env: { ...process.env, NODE_OPTIONS: clusterHeap(root), LOG_LEVEL: 'warn' },
  report: lineReport(say, () => performance.now()),
  services: [...new Set(besieged.flatMap(behind))],
  console: besieged.includes('console'),
  throwaway: true,
  signal: stopping.signal,
});
try {
  const rows: SiegeRow[] = [];
  const besiege = async (service: TargetName, kills: boolean): Promise<void> => {
    const its = attacks.filter((one) => one.service === service && (one.kills ?? false) === kills);
    if (its.length === 0) return;
    const target = await startTarget(stack, root, service);
    try {
      const quiet = kills ? emptyBaseline() : await warmUp(target, stopping.signal);
      for (const attack of its) {
        stopping.signal.throwIfAborted();
        const row = await runAttack(target, attack, quiet, { signal: stopping.signal });
        rows.push(row);
        say(formatRow(row));
        if (target.ended() !== undefined) await target.restart();
      }
    } finally {
      await target.close();
    }
  };
  say(
    `\nBounds: /health ${bounds.healthMs} ms; p99 of the other tenant's requests and deliveries ${bounds.p99Ratio} x\n`,
  );
  for (const service of besieged) await besiege(service, false);
  // Attacks that kill processes are not timed, so all services run at once.
  await Promise.all(besieged.map((service) => besiege(service, true)));
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  const fell = rows.filter((row) => row.fallen.length > 0).length;
  say(fell === 0 ? '\nEverything held.' : `\n${fell} of ${rows.length} fell.`);
  process.exitCode = fell === 0 ? 0 : 1;
} finally {
  await stack.stop();
  rmSync(home, { recursive: true, force: true });
}

function formatRow(row: SiegeRow): string {
  const { attack, status, code, rounds, ms, healthMsWorst, ownLagMs, requests, deliveries, fallen } = row;
  const figures = [
    `${status} ${code.padEnd(18)} ${ms.toFixed(0).padStart(6)} ms`,
    `/health ${healthMsWorst.toFixed(0).padStart(4)} ms`,
    `p99 ${formatChange(requests)}`,
    ...(deliveries ? [`delivery ${formatChange(deliveries)}`] : []),
    `watcher ${ownLagMs.toFixed(0)} ms`,
    ...(rounds > 1 ? [`${rounds} times`] : []),
  ];
  const what = fallen.map((one) => `\n    ${one}`).join('');
  return `${fallen.length === 0 ? '✓' : '✗'} ${attack.padEnd(72)} ${figures.join('  ')}${what}`;
}

function formatChange(moved: SiegeRow['requests']): string {
  return moved ? `${moved.p99Ms.toFixed(0).padStart(4)} ms ${moved.ratio.toFixed(2)} x` : '-';
}
