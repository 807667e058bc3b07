// A web-push broadcast of the built service, from its request to the last answer of the push
// service, against a loop around `web-push` with as many in flight (docs/performance.md#web-push):
// on one core, on two, and how the memory grows with the audience.
import { once } from 'node:events';
import { cpuTimer } from '../cpu-time.ts';
import type { MeasuredVariant, Reading, Variant, Window } from '../harness.ts';
import { inChild } from '../in-child.ts';
import { serverFile } from '../http-load.ts';
import { LOAD_CORE, SERVER_CORE, canPin, startPinned } from '../pinned-process.ts';
import { until, withServiceStack, type MeasuredService, type ServiceStack } from '../service-stack.ts';
import { residentMemory } from '../resident-memory.ts';
import type { Measure, Part, Setting } from '../suites.ts';
import {
  newVapid,
  pushEnvironment,
  seedDevices,
  startPushTarget,
  type PushTarget,
  type TestDevice,
  type Vapid,
} from './push-target.ts';

/** A broadcast of four seconds: beginning and end weigh little. */
const DEVICES = 20_000;
const CHUNKS_AT_ONCE = 4;
/** Fifty a chunk. */
const IN_FLIGHT = CHUNKS_AT_ONCE * 50;
const WINDOW_SECONDS = 3;
const SETTLED_WITHIN_MS = 300_000;
const FEW_DEVICES = 1_000;
const MANY_DEVICES = 200_000;
/**
 * As many messages to the small audience as to the large one: the heap also grows with what was
 * sent.
 */
const FEW_TIMES = MANY_DEVICES / FEW_DEVICES;
const OURS = 'Parley broadcast';
const THEIRS = 'web-push sendNotification';
const MESSAGE =
  'Your order has left our warehouse and will be with you tomorrow between nine and twelve o’clock.';

export const broadcastPart: Part = {
  title: 'broadcast',
  open: (setting, measure, tell) =>
    withServiceStack('notifications', setting, async (stack) => {
      const bench = await openBroadcast(setting, stack);
      const { target, environment } = bench;
      // Memory first: a process that has only ever seen a thousand devices, then two hundred
      // thousand.
      const growing = await stack.startService('all', { env: environment(2) });
      const fewMiB = await peakOf(growing, async () => {
        for (let times = 0; times < FEW_TIMES; times += 1)
          await broadcast(stack, growing, target, FEW_DEVICES);
      });
      await growing.process.stop();
      await bench.addDevices();
      await bench.compare({ title: 'one core', isPinned: true, threads: 0, atLeast: 4 }, measure, tell);
      const both = 'encryption on threads over two cores';
      await bench.compare({ title: both, isPinned: false, threads: 2, atLeast: 7, aim: 8 }, measure, tell);

      const many = target.devices(DEVICES, MANY_DEVICES);
      await seedDevices(stack.pool, stack.dataKey, stack.organizationId, many, DEVICES);
      const large = await stack.startService('all', { env: environment(2) });
      const manyMiB = await peakOf(large, () => broadcast(stack, large, target, MANY_DEVICES));
      tell({
        title: 'Memory of the service (peak of its resident set)',
        figures: [
          { name: `after ${FEW_TIMES} broadcasts to ${FEW_DEVICES} devices`, value: fewMiB, unit: 'MiB' },
          { name: `after one to ${MANY_DEVICES}`, value: manyMiB, unit: 'MiB' },
          { name: 'growth', value: manyMiB - fewMiB, unit: 'MiB', atMost: 50 },
        ],
      });
    }),
};

interface BroadcastComparison {
  readonly title: string;
  /** The service on one core, push service and stores on the other, where that can be. */
  readonly isPinned: boolean;
  readonly threads: number;
  readonly atLeast: number;
  readonly aim?: number;
}

/** A push service with a few devices, and the loop around `web-push`. */
export async function openBroadcast(setting: Setting, stack: ServiceStack) {
  const pin = canPin();
  const target = await startPushTarget(setting.root, setting.env, { core: LOAD_CORE, pin });
  stack.onStop(() => target.stop());
  const seed = (devices: readonly TestDevice[], from: number) =>
    seedDevices(stack.pool, stack.dataKey, stack.organizationId, devices, from);
  const few = target.devices(0, FEW_DEVICES);
  await seed(few, 0);
  const vapid = newVapid();
  const environment = (threads: number): Record<string, string> => ({
    ...pushEnvironment(target, vapid),
    PUSH_CHUNKS_AT_ONCE: String(CHUNKS_AT_ONCE),
    PUSH_THREADS: String(threads),
    DATABASE_POOL_MAX: '20',
  });
  const theirs = await startWebPush(setting, target.caFile, pin, vapid);
  stack.onStop(() => theirs.stop());

  /** As many as a comparison needs. */
  const addDevices = async (): Promise<void> => {
    const more = target.devices(FEW_DEVICES, DEVICES);
    await seed(more, FEW_DEVICES);
    await theirs.take([...few, ...more]);
  };

  const compare = async (
    { title, isPinned, threads, ...bounds }: BroadcastComparison,
    measure: Measure,
    tell: (reading: Reading) => void,
  ): Promise<void> => {
    const aside = pin && isPinned ? LOAD_CORE : undefined;
    if (pin) stack.pinStores(aside);
    const core = pin && isPinned ? SERVER_CORE : undefined;
    const service = await stack.startService('all', { core, env: environment(threads) });
    const { variants } = await measure({
      title: `Web push to ${DEVICES} devices, HTTP/2 and TLS, answers after 20 ms, ${IN_FLIGHT} in flight, ${title}`,
      operation: 'push',
      windowSeconds: WINDOW_SECONDS,
      variants: [ours(stack, service, target), theirs.variant],
      ratios: [{ of: 'rate', over: OURS, under: THEIRS, ...bounds }],
      note:
        `from POST /v1/notify to the last answer and the settled delivery; queue: ${stack.queueDescription}; stores write ` +
        `durably; ${pin ? `pinned to the second core: the push service${aside === undefined ? '' : ' and the stores'}` : 'nothing is pinned'}; ` +
        'every message was counted, a sample decrypted',
    });
    tell(cpuReading(title, core === undefined ? 2 : 1, variants));
    await service.process.stop();
  };
  return { target, environment, addDevices, compare };
}

function cpuReading(title: string, cores: number, variants: readonly MeasuredVariant[]): Reading {
  const cpuOf = (name: string) => variants.find((variant) => variant.name === name)?.cpuUs ?? NaN;
  const computed = {
    name: `computed: ${cores} cores of its own over web-push on one`,
    value: (cores * cpuOf(THEIRS)) / cpuOf(OURS),
    unit: 'x',
  };
  return {
    title: `CPU a push, ${title}`,
    figures: [
      { name: OURS, value: cpuOf(OURS), unit: 'us' },
      { name: THEIRS, value: cpuOf(THEIRS), unit: 'us' },
      { name: 'ours / web-push', value: cpuOf(OURS) / cpuOf(THEIRS), unit: 'x', atMost: 0.3 },
      ...(cores === 1 ? [] : [computed]),
    ],
  };
}

/**
 * One broadcast; settles when the push service has answered for every device and the delivery says
 * so.
 */
async function broadcast(
  { apiKey }: ServiceStack,
  { origin }: MeasuredService,
  target: PushTarget,
  count: number,
): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const received = target.expect(count, SETTLED_WITHIN_MS);
  const reply = await fetch(`${origin}/v1/notify`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      channels: ['web_push'],
      message: MESSAGE,
      target: { web_push: { broadcast: true } },
    }),
  });
  if (reply.status !== 202) throw new Error(`${reply.status} ${await reply.text()}`);
  const { notification_id: id } = (await reply.json()) as { notification_id: string };
  await received;
  await until('the outcome of the broadcast', 10_000, async () => {
    const status = await fetch(`${origin}/v1/notify/${id}`, { headers });
    const text = await status.text();
    if (/"status":"(queued|sending)"/.test(text)) return false;
    if (!text.includes(`"sent":${count},`)) throw new Error(`not everybody was reached: ${text}`);
    return true;
  });
}

function ours(stack: ServiceStack, service: MeasuredService, target: PushTarget): Variant {
  const { pid } = service.process;
  return {
    name: OURS,
    run: async (seconds): Promise<Window> => {
      const cpu = cpuTimer([pid]);
      const startedAt = performance.now();
      let operations = 0;
      do {
        await broadcast(stack, service, target, DEVICES);
        operations += DEVICES;
      } while (performance.now() - startedAt < seconds * 1000);
      const took = (performance.now() - startedAt) / 1000;
      return { operations, seconds: took, cpuSeconds: cpu() };
    },
  };
}

async function startWebPush({ env }: Setting, caFile: string, pin: boolean, vapid: Vapid) {
  const started = startPinned({
    file: serverFile('web-push-loop'),
    core: SERVER_CORE,
    pin,
    env: { PATH: env['PATH'], NODE_ENV: 'production', NODE_EXTRA_CA_CERTS: caFile },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const payload = JSON.stringify({
    title: MESSAGE.slice(0, 80),
    body: MESSAGE,
    notification_id: 'ntf_bench',
  });
  const variant = inChild(THEIRS, started, (seconds) => ({ seconds, inFlight: IN_FLIGHT, vapid, payload }));
  return {
    stop: started.stop,
    variant,
    take: async (devices: readonly TestDevice[]) => {
      started.child.send({ devices });
      await once(started.child, 'message');
    },
  };
}

/** The most memory that the process ever had, after `work`. */
async function peakOf({ process: { pid } }: MeasuredService, work: () => Promise<void>): Promise<number> {
  await work();
  return residentMemory(pid).peakBytes / 2 ** 20;
}
