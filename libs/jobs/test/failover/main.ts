// `npm run failover [-- name …]`: takes Redis away from a load on every queue and gives it back.
// Prints a line of JSON for each scenario. Exits with 1 when work is lost, a queue is consumed too
// late, or stopping takes too long.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { refuseCommandLine } from '@parley/testing';
import {
  redisForTests,
  openLedger,
  redisUsers,
  startEmbeddedPostgres,
  startRedis,
  startRedisTopology,
} from '@parley/testing/servers';
import { loopbackCertificate, tcpProxy } from '@parley/testing';
import { startLoad } from './load.ts';
import { SCENARIOS, type Scenario, type Servers } from './scenarios.ts';

const CONSUMED_WITHIN_MS = 15_000;
const STOPS_WITHIN_MS = 15_000;
const WATCHED_MS = 60_000;
const root = join(import.meta.dirname, '..', '..', '..', '..');

interface Started extends Servers {
  urlOf(service: string): string;
  stop(): Promise<unknown>;
}

async function start(scenario: Scenario, home: string): Promise<Started> {
  const program = await redisForTests(root);
  const { topology, replicas = 0, settings = [] } = scenario;
  const tls = scenario.tls ? { tls: loopbackCertificate } : {};
  const options = {
    program,
    home,
    ledger: openLedger(join(home, 'processes.json')),
    users: redisUsers(root),
    ...tls,
  };
  if (topology === 'postgres') {
    const postgres = await startEmbeddedPostgres({ root, home, ledger: options.ledger, throwaway: true });
    const proxy = await tcpProxy(postgres.url);
    const stop = async () => {
      await proxy.close();
      await postgres.stop();
    };
    return { proxy, urlOf: () => proxy.url, stop };
  }
  if (topology !== 'single') {
    const several = await startRedisTopology({ ...options, kind: topology, replicas });
    return { several, urlOf: several.urlOf, stop: several.stop };
  }
  const single = await startRedis({ ...options, settings });
  if (!scenario.proxied) return { single, urlOf: (user) => single.urlOf(user)!, stop: single.stop };
  const proxy = await tcpProxy(single.url);
  const urlOf = (user: string) =>
    Object.assign(new URL(single.urlOf(user)!), { port: new URL(proxy.url).port }).href;
  const stop = async () => {
    await proxy.close();
    await single.stop();
  };
  return { single, proxy, urlOf, stop };
}

async function run(name: string, scenario: Scenario): Promise<boolean> {
  const home = mkdtempSync(join(tmpdir(), 'parley-failover-'));
  const servers = await start(scenario, home);
  try {
    const load = startLoad(servers.urlOf);
    const before = await load.consumedSince(Date.now(), WATCHED_MS);
    await delay(2_000);
    await scenario.fault(servers);
    const returnedAtMs = Date.now();
    const after = await load.consumedSince(returnedAtMs, WATCHED_MS);
    await delay(3_000);
    const { accepted, lost } = await load.settle(WATCHED_MS);
    const stoppedInMs = await load.stop();
    const isWell =
      before.ms !== null &&
      (after.ms ?? Infinity) <= CONSUMED_WITHIN_MS &&
      lost.length === 0 &&
      stoppedInMs <= STOPS_WITHIN_MS;
    const facts = { name, consumed_ms: after.ms, last_queue: after.queue, accepted, lost: lost.length };
    console.log(
      JSON.stringify({ ...facts, restarts: load.restarts(), stopped_ms: stoppedInMs, is_well: isWell }),
    );
    return isWell;
  } finally {
    await servers.stop();
    await rm(home, { recursive: true, force: true });
  }
}

const names = process.argv.slice(2);
let failed = false;
for (const name of names.length > 0 ? names : Object.keys(SCENARIOS)) {
  const scenario = SCENARIOS[name];
  if (!scenario)
    refuseCommandLine('npm run failover [-- <scenario>…]', `Scenarios: ${Object.keys(SCENARIOS).join(' ')}`);
  if (!(await run(name, scenario))) failed = true;
}
process.exit(failed ? 1 : 0);
