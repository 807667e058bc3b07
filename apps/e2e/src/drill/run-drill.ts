// One drill from its servers to its account.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { accountForDrill, type DrillAccount } from './account.rules.ts';
import type { Drill } from './drills.ts';
import { startLoad, startReceiver } from './load.ts';
import { followPage, parsePages } from './pages.ts';
import { startReaders } from './readers.ts';
import { ROOT, startFleet, startServers, type Environment } from './servers.ts';

export interface DrillOptions {
  readonly env: Environment;
  /** One item of each of three kinds in this time. */
  readonly everyMs: number;
  readonly say: (line: string) => void;
}

/** After the drill the load goes on for this long. */
const AFTER_SECONDS = 4;
const TOLD_WITHIN_MS = 120_000;
/** Sweepers run every five seconds, so a repeated message has arrived by then. */
const QUIET_MS = 7_000;
const WATCHED = 'watched';

export const RECOVERY_PAGE = join(ROOT, 'docs/recovery.md');

export async function runDrill(drill: Drill, { env, everyMs, say }: DrillOptions): Promise<DrillAccount> {
  const pages = parsePages(readFileSync(RECOVERY_PAGE, 'utf8'));
  const found = pages.find(({ title }) => title === drill.title);
  if (!found) throw new Error(`docs/recovery.md has no page "${drill.title}"`);
  const ends: (() => unknown)[] = [];
  /** Of PostgreSQL, for a drill that fails. */
  const logs: string[] = [];
  try {
    const servers = await startServers(env, drill.servers ?? {});
    logs.push(...['PGDATA', 'STANDBY'].map((name) => `${servers.env[name]}.log`));
    ends.push(() => rmSync(servers.home, { recursive: true, force: true, maxRetries: 5 }));
    ends.push(() => unmount(servers.env['PGDATA']!), servers.stop);
    const receiver = await startReceiver();
    ends.push(receiver.close);
    const pooler = await drill.pooler?.(servers);
    if (pooler) ends.push(pooler.close);
    const fleet = await startFleet(servers, { say, ...(pooler ? { port: pooler.port } : {}) });
    ends.push(() => fleet.stack.stop());
    const page = followPage({ page: found, cwd: ROOT, env: servers.env, user: servers.user, say });
    const load = await startLoad(fleet.stack, receiver, everyMs);
    ends.push(() => load.stop());
    await load.report(WATCHED, [
      { id: 'watched-0', type: 'conversation.started', data: { channel: 'phone' } },
    ]);
    const readers = startReaders(fleet.stack, WATCHED, servers.env['PATH']!);
    ends.push(readers.close);

    const run = (seconds: number) => delay(seconds * 1000);
    await run(2);
    let faultAtMs = 0;
    const fault = (): void => void (faultAtMs = Date.now());
    const mayLose = await drill.run({ servers, fleet, page, load: run, fault, say });
    page.finish();
    const account = (present: ReadonlySet<string>) =>
      accountForDrill({ ...load, present, readers: readers.feeds, faultAtMs, mayLose });
    await eventuallyTrue(() => account(new Set()).seconds !== null);
    await run(AFTER_SECONDS);
    await load.stop();
    const ended = { id: 'watched-1', type: 'conversation.ended', data: { end_reason: 'flow_completed' } };
    await load.report(WATCHED, [ended]);
    await eventuallyTrue(
      async () => account(await load.findPresent()).neverReported === 0 && readers.streams.size === 2,
    );
    await untilQuiet(load.webhooks);
    const result = account(await load.findPresent());
    const silent = ['TypeScript SDK', 'Python SDK'].filter((name) => !readers.streams.has(name));
    return {
      ...result,
      problems: [...result.problems, ...silent.map((name) => `the stream of the ${name} misses the end`)],
    };
  } catch (error) {
    for (const log of logs) if (existsSync(log)) say(readFileSync(log, 'utf8').slice(-2_000));
    throw error;
  } finally {
    for (const end of ends.reverse())
      await Promise.resolve()
        .then(end)
        .catch((error: unknown) => say(String(error)));
  }
}

function unmount(data: string): void {
  if (readFileSync('/proc/mounts', 'utf8').includes(` ${data} `)) execFileSync('umount', [data]);
}

/** Waits for it, and gives up silently: the account says what is missing. */
async function eventuallyTrue(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TOLD_WITHIN_MS;
  while (Date.now() < deadline) {
    if (
      await Promise.resolve()
        .then(holds)
        .catch(() => false)
    )
      return;
    await delay(500);
  }
}

async function untilQuiet(webhooks: readonly unknown[]): Promise<void> {
  for (let before = -1; before !== webhooks.length;) {
    before = webhooks.length;
    await delay(QUIET_MS);
  }
}
