// `npx nx run bench:ways [--list]`: prints how many files and functions of ours one warm request
// runs through.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from '@parley/testing';
import { LOOPBACK, freePort } from '@parley/testing/servers';
import { removeHome, startStack, untilReady, type ServiceName, type Stack } from '@parley/dev/stack';
import { newVapid, pushEnvironment, startPushTarget } from '../notifications/push-target.ts';
import { coverProcess, type CoveredProcess, type FunctionKey } from './covered-process.ts';
import { ways, type Way } from './ways.ts';

/** Fills caches, and settles what a service does once. */
const WARM_TRIPS = 20;
/** The log line and the counters of a request follow its answer. */
const SETTLES_WITHIN_MS = 100;
/** Only what every one of them calls is part of the way: timers of the service run through some. */
const COUNTED_TRIPS = 5;

const { values, positionals } = readCommandLine('npx nx run bench:ways [--list] [<way>…]', {
  allowPositionals: true,
  options: { list: { type: 'boolean' } },
});
const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
for (const way of ways.filter(({ name }) => positionals.length === 0 || positionals.includes(name)))
  await printWay(way);

async function printWay(way: Way): Promise<void> {
  const functions = await countWay(way);
  const files = [...new Set(functions.map((key) => key.slice(0, key.indexOf(':'))))];
  console.log(`${way.name}: ${files.length} files, ${functions.length} functions`);
  for (const file of files) {
    const inFile = functions.filter((key) => key.startsWith(`${file}:`));
    console.log(`  ${String(inFile.length).padStart(3)}  ${file}`);
    if (values.list) for (const key of inFile) console.log(`         ${key.slice(file.length + 1)}`);
  }
}

/** The functions that every trip calls, by file and line. */
async function countWay({
  services,
  others = [],
  pushes = false,
  prepare,
}: Way): Promise<readonly FunctionKey[]> {
  const home = mkdtempSync(join(tmpdir(), 'parley-ways-'));
  const push = pushes ? await startPushTarget(root, process.env, { core: 0, pin: false }) : undefined;
  const env = push ? pushEnvironment(push, newVapid()) : {};
  try {
    const stack = await startStack({
      root,
      home,
      env: { PATH: process.env['PATH'] },
      services: [...services, ...others],
      throwaway: true,
    });
    try {
      const replicas = await Promise.all(services.map((service) => replace(stack, service, env)));
      const origins = Object.fromEntries(replicas.map(({ service, origin }) => [service, origin]));
      const trip = await prepare(origins, stack, push);
      for (let count = 0; count < WARM_TRIPS; count += 1) await trip();
      let always: Set<FunctionKey> | undefined;
      const processes = replicas.map(({ covered }) => covered);
      await sleep(SETTLES_WITHIN_MS);
      await takeAll(processes);
      for (let count = 0; count < COUNTED_TRIPS; count += 1) {
        await trip();
        await sleep(SETTLES_WITHIN_MS);
        const called = await takeAll(processes);
        always = new Set([...(always ?? called)].filter((key) => called.has(key)));
      }
      for (const covered of processes) covered.close();
      return [...always!].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    } finally {
      await stack.stop();
    }
  } finally {
    await push?.stop();
    await removeHome(home);
  }
}

/**
 * Puts a process with the settings of production and an inspector in the place of a service of the
 * stack.
 */
async function replace(stack: Stack, service: ServiceName, more: Readonly<Record<string, string>>) {
  await stack.services[service].process.stop();
  const address = `${LOOPBACK}:${await freePort()}`;
  const env = {
    ...more,
    NODE_ENV: 'production',
    OUTBOUND_ALLOW_IN_PRODUCTION: 'true',
    NODE_OPTIONS: `--inspect=${address}`,
  };
  const running = await stack.startReplica(service, `${service}-counted`, { env });
  await untilReady(running);
  return { service, origin: running.origin, covered: await coverProcess(root, address) };
}

async function takeAll(processes: readonly CoveredProcess[]): Promise<Set<FunctionKey>> {
  const taken = await Promise.all(processes.map((one) => one.takeCalled()));
  return new Set(taken.flatMap((called) => [...called]));
}
