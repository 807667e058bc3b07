// Starts a whole Parley on this machine: Postgres, a queue engine, the three services, one API key
// each. For `npm start`, end-to-end tests, demo and bench.
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_ORGANIZATION, keepApiKeys } from './api-keys.ts';
import type { DevelopmentIdentity } from '@parley/auth';
import { bundleApps } from './bundle.ts';
import { describeDemoOrganization } from './demo-organization.ts';
import {
  lockFolder,
  freePort,
  LOOPBACK,
  refuseTakenPorts,
  openLedger,
  silentReport,
  createStopOrder,
  type ProcessLedger,
  type Report,
  type Restartable,
  type UnexpectedEnd,
} from '@parley/testing/servers';
import type { QueuePlan } from './stores/queue-engine.ts';
import { findIdentity, pageEnvironment } from './page-access.ts';
import { assembleRelease, programsInDist, releasePlace } from './release.ts';
import type { Programs } from './release.ts';
import { keepKeyrings } from './secret-files.ts';
import { startService, untilReady } from './processes/service-process.ts';
import type { RunningService } from './processes/service-process.ts';
import { SERVICES, SERVICE_FACTS, forEachService } from './services.ts';
import type { ServiceName } from './services.ts';
import { startStores } from './stores/start-stores.ts';
import { makeLink, startConsole } from './start-console.ts';
import type { StackConsole } from './start-console.ts';

/**
 * What a development stack may send to although it is not public: receivers and tools on this
 * machine (docs/platform.md#outgoing-requests).
 */
export const LOOPBACK_RECEIVERS = '127.0.0.0/8,::1,localhost';

/**
 * Variables of the stack, the CLI and examples of the SDKs. Services refuse them, because their
 * variables had these names in an earlier release.
 */
const NOT_INHERITED: ReadonlySet<string> = new Set([
  'REDIS_URL',
  'CONSOLE_URL',
  'FLOW_BUILDER_URL',
  'VOICE_API_URL',
  'NOTIFICATIONS_URL',
]);

export interface StackOptions {
  /** The checkout. */
  readonly root: string;
  /** Where everything that stays lies: `.parley`, or a folder of a test run. */
  readonly home: string;
  /**
   * What chooses real servers (DATABASE_URL_FLOW_BUILDER and so on, QUEUE_URL, REDIS_URL) and what
   * the services inherit; PATH is searched for a Redis.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What only one service inherits. */
  readonly serviceEnv?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  /**
   * The first service listens here, the next ones on the ports that follow; without it they get
   * free ports.
   */
  readonly portBase?: number | undefined;
  /**
   * True: the servers write nothing durably and their data goes when they stop. Never for data that
   * should stay.
   */
  readonly throwaway?: boolean;
  /** Which queue engine; without it the first that is found (docs/platform.md#queue-engines). */
  readonly queue?: QueuePlan;
  /** The bundles to run; without it those of the checkout are built first. */
  readonly distDir?: string;
  /** True: runs what the images hold, assembled outside the checkout and removed with stop(). */
  readonly released?: boolean;
  readonly services?: readonly ServiceName[];
  /** True: the console too, on the port before the first service's. */
  readonly console?: boolean;
  readonly report?: Report;
  /** Ends the start, and everything it has started so far. */
  readonly signal?: AbortSignal;
}

export interface StackService {
  /** `http://127.0.0.1:3001`; voice-api's ends in /v1. */
  readonly baseUrl: string;
  readonly origin: string;
  /** An admin key of the demo organisation. */
  readonly apiKey: string;
  readonly databaseUrl: string;
  readonly logFile: string;
  /** The process that answers at `origin`. */
  readonly process: RunningService;
}

/** What a replica has of its own. */
export interface ReplicaOptions {
  /** A free one unless given: a replica that takes the place of one that ended has its port. */
  readonly port?: number;
  /** On top of what the service has. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Stack {
  readonly organizationId: string;
  readonly services: Record<ServiceName, StackService>;
  /** Where it was asked for. */
  readonly console?: StackConsole;
  /**
   * The embedded Postgres (its database `postgres`), or the flow builder's database where all three
   * are given.
   */
  readonly postgresUrl: string;
  /** Absent: the environment names an identity provider. */
  readonly identity?: DevelopmentIdentity;
  readonly queueUrl: string;
  /** What carries the queues, for people. */
  readonly queueDescription: string;
  /** `main.mjs` of the operator's program, for a service. */
  cli(service: ServiceName): string;
  /** Every process of the stack that this start made. */
  readonly pids: Record<string, number>;
  /** The servers that were started here and not given: they can be taken away for a while. */
  readonly stores: { readonly postgres?: Restartable; readonly redis?: Restartable };
  /**
   * Starts one more process of a service on the same stores; `as` names it in the ledger and its
   * log. It may end again at any time; untilReady waits for it, stop() stops it with the others.
   */
  startReplica(service: ServiceName, as: string, options?: ReplicaOptions): Promise<RunningService>;
  /** Settles when a server ends that nobody stopped. */
  readonly unexpectedEnd: Promise<UnexpectedEnd>;
  /**
   * Stops services, queue engine, Postgres, in this order; afterwards nothing of the stack runs.
   */
  stop(): Promise<void>;
  /** Kills everything at once and returns; Postgres and Redis are made to survive that. */
  killNow(): void;
}

/**
 * Starts everything, or nothing: when a step fails, what was started before is stopped again.
 * Throws FolderLocked while another stack runs in `home`. What a killed stack left running in
 * `home` is ended first.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { root, home, env, report = silentReport, services: names = SERVICES, throwaway = false } = options;
  openHome(home);
  const unlock = lockFolder(join(home, 'stack.lock'));
  const ledger = openLedger(join(home, 'processes.json'));
  const order = createStopOrder();
  const givenUp = new AbortController();
  const aborted = AbortSignal.any([givenUp.signal, ...(options.signal ? [options.signal] : [])]);
  // A start that is ended in the middle stops its servers at once; the steps that wait for them
  // then fail by themselves.
  const giveBack = (): void => {
    if (options.released) rmSync(releasePlace(home), { recursive: true, force: true });
    unlock();
  };
  const stopNow = (): void => void order.stop().catch(() => undefined);
  aborted.addEventListener('abort', stopNow, { once: true });
  try {
    await endLeftovers(ledger, report);
    const ports = await choosePorts(options.console ? [...names, 'console'] : names, options.portBase);
    const parts = await allOrNothing(givenUp, [
      () => prepare(options),
      () =>
        startStores({
          root,
          home,
          env,
          names,
          ledger,
          order,
          aborted,
          report,
          throwaway,
          queue: options.queue,
        }),
    ]);
    aborted.throwIfAborted();
    const programs = parts[0];
    const { databaseUrls, queue, postgres, postgresUrl } = parts[1];
    const keys = keepKeyrings(home);
    const identity = findIdentity(options, keys.identitySecret);
    const inherited = Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_INHERITED.has(name)));
    const environmentOf = (name: ServiceName) => ({
      ...inherited,
      NODE_ENV: 'development',
      OUTBOUND_ALLOW: env['OUTBOUND_ALLOW'] ?? LOOPBACK_RECEIVERS,
      EMAIL_CAPTURE_DIR: env['EMAIL_CAPTURE_DIR'] || join(home, 'mail'),
      ROLE: 'all',
      LOG_LEVEL: env['LOG_LEVEL'] || 'info',
      DATABASE_URL: databaseUrls[name],
      QUEUE_URL: queue.urlOf(name),
      DATA_KEY: keys.dataKey,
      QUEUE_KEY: keys.queueKey,
      MESSAGE_KEYS: keys.messageKeys[name],
      OPERATOR_ORGANIZATION: env['OPERATOR_ORGANIZATION'] || DEMO_ORGANIZATION,
      NOTIFICATIONS_WEB_PUSH_ENABLED: env['NOTIFICATIONS_WEB_PUSH_ENABLED'] || 'true',
      VAPID_KEYS: env['VAPID_KEYS'] || keys.vapidKeys,
      VAPID_SUBJECT: env['VAPID_SUBJECT'] || 'mailto:developer@example.com',
      ...options.serviceEnv?.[name],
    });
    // A service as in production refuses the shared secret.
    const pagesOf = (more: NonNullable<ReplicaOptions['env']>) =>
      more['NODE_ENV'] === 'production' ? {} : pageEnvironment(env, identity);
    // Portal links of a development stack open at once.
    const portalUrlOf = (name: ServiceName, port: number) =>
      name === 'voice-api' ? { PUBLIC_URL: `http://${LOOPBACK}:${port}` } : {};
    const startOne = (name: ServiceName, as: string, port: number, more: ReplicaOptions['env'] = {}) =>
      order.add(
        'service',
        startService({
          name,
          as,
          program: programs.main(name),
          home,
          port,
          ledger,
          env: { ...portalUrlOf(name, port), ...pagesOf(more), ...environmentOf(name), ...more },
        }),
      );
    const console = options.console
      ? startConsole({
          program: programs.main('console'),
          home,
          port: ports.console,
          ledger,
          env: {
            ...inherited,
            QUEUE_URL: env['QUEUE_URL'] || env['REDIS_URL'],
            LOG_LEVEL: env['LOG_LEVEL'] || 'info',
          },
          consoleKey: keys.consoleKey,
          origins: forEachService(names, (name) => `http://${LOOPBACK}:${ports[name]}`),
        })
      : undefined;
    if (console) order.add('service', console.process);
    const running = forEachService(names, (name) => startOne(name, name, ports[name]));
    const started = [...names.map((name) => running[name]), ...(console ? [console.process] : [])];
    await report.step(`services ready: ${started.map(({ name }) => name).join(', ')}`, () =>
      Promise.all(started.map(untilReady)),
    );
    const known = names.map((name) => ({
      name,
      origin: running[name].origin,
      databaseUrl: databaseUrls[name],
    }));
    await Promise.all(names.map((name) => describeDemoOrganization(databaseUrls[name])));
    const apiKeys = await keepApiKeys(join(home, 'keys.json'), known);
    aborted.throwIfAborted();
    aborted.removeEventListener('abort', stopNow);
    return {
      organizationId: DEMO_ORGANIZATION,
      services: forEachService(names, (name) =>
        describeService(name, running[name], databaseUrls[name], apiKeys[name]),
      ),
      ...(console
        ? {
            console: {
              ...console,
              link: (label: string) => makeLink(console, keys.consoleKey, apiKeys, label),
            },
          }
        : {}),
      postgresUrl,
      ...(identity && { identity }),
      queueUrl: queue.url,
      queueDescription: queue.description,
      cli: programs.cli,
      pids: ledger.living(),
      stores: { ...(postgres ? { postgres } : {}), ...(queue.server ? { redis: queue.server } : {}) },
      startReplica: async (service, as, { port, env: more } = {}) =>
        startOne(service, as, port ?? (await freePort()), more),
      unexpectedEnd: order.unexpectedEnd,
      stop: () => order.stop().finally(giveBack),
      killNow: () => ledger.killNow(),
    };
  } catch (error) {
    await order.stop().finally(giveBack);
    options.signal?.throwIfAborted();
    throw error;
  }
}

/** Bundles of the checkout, and of these a release; unless the caller brings bundles. */
async function prepare(options: StackOptions): Promise<Programs> {
  const { root, home, distDir, released, report = silentReport, services = SERVICES } = options;
  if (distDir !== undefined) return programsInDist(distDir);
  const images = [...services, ...(options.console ? (['console'] as const) : [])];
  await report.step('services bundled', () => bundleApps({ root, apps: [...images, 'cli'] }));
  if (!released) return programsInDist(join(root, 'dist'));
  rmSync(releasePlace(home), { recursive: true, force: true }); // of a stack that was killed
  return report.step('released folders assembled', () => assembleRelease(root, releasePlace(home), images));
}

/**
 * Runs all at once. The first failure ends the others, and is thrown when every one has settled.
 */
async function allOrNothing<A, B>(
  givenUp: AbortController,
  work: [() => Promise<A>, () => Promise<B>],
): Promise<[A, B]> {
  let first: { error: unknown } | undefined;
  const running = work.map((part) =>
    (part as () => Promise<unknown>)().catch((error: unknown) => {
      first ??= { error };
      givenUp.abort();
    }),
  );
  const results = await Promise.all(running);
  if (first) throw first.error;
  return results as [A, B];
}

async function endLeftovers(ledger: ProcessLedger, report: Report): Promise<void> {
  const ended = await ledger.endLeftovers();
  if (ended.length > 0)
    report.note(`  ! ended what an earlier, killed start had left running: ${ended.join(', ')}`);
}

type Listener = ServiceName | 'console';

/** One after the other from `portBase`, the console before them; without it any free ports. */
async function choosePorts(names: readonly Listener[], portBase: number | undefined) {
  const ports: Partial<Record<Listener, number>> = {};
  for (const name of names) {
    const at = name === 'console' ? -1 : SERVICES.indexOf(name);
    ports[name] = portBase === undefined ? await freePort() : portBase + at;
  }
  if (portBase !== undefined) await refuseTakenPorts(new Map(Object.entries(ports)));
  return ports as Record<Listener, number>;
}

function openHome(home: string): void {
  mkdirSync(home, { recursive: true });
  try {
    accessSync(home, constants.W_OK);
  } catch (error) {
    throw new Error(
      `${home} belongs to another user: Parley ran here as root, perhaps. Run it as that user again, or remove the folder ` +
        '(the development data in it is lost).',
      { cause: error },
    );
  }
}

function describeService(
  name: ServiceName,
  running: RunningService,
  databaseUrl: string,
  apiKey: string,
): StackService {
  const { origin, logFile } = running;
  const baseUrl = `${origin}${SERVICE_FACTS[name].basePath}`;
  return { baseUrl, origin, apiKey, databaseUrl, logFile, process: running };
}
