// Webhook deliveries from stored rows through Postgres and BullMQ to a local receiver, against a
// bare loop that posts the same signed bytes (docs/performance.md#sending-http); and how long a
// delivery takes from its event at half that load.
import { cpuTimer } from '../cpu-time.ts';
import type { Variant, Window } from '../harness.ts';
import { serverFile } from '../http-load.ts';
import { inChild } from '../in-child.ts';
import { startPinned } from '../pinned-process.ts';
import { until } from '../service-stack.ts';
import { quantileOf } from '../statistics.ts';
import type { Part, Setting } from '../suites.ts';
import { messageBatch } from './event-batches.ts';
import { WEBHOOK_SECRET, startReceiver, type Receiver, type Sample } from './receiver.ts';
import { steadyLoad } from './steady-load.ts';
import { call, withVoiceStack, type VoiceService, type VoiceStack } from './voice-stack.ts';

/**
 * A webhook gets up to ten deliveries at once from each worker: with ten of them a hundred calls,
 * as many as the bare loop makes.
 */
const WEBHOOKS = 10;
export const CONCURRENCY = 100;
/** As many as the manifests keep at least (k8s/base/service/scaling.yaml). */
export const WORKERS = 2;
const EVENTS_PER_REQUEST = 500;
export const WINDOW_SECONDS = 4;
/** Before anything is known of the machine. */
const RATE_GUESSED = 10_000;
/**
 * Windows before the harness's own warm-up: a worker lives for days, and its code is compiled to
 * the end only after some hundred thousand deliveries. The bare loop's few functions are within its
 * first window.
 */
const WARM_UP_WINDOWS = 4;
const DRAINED_WITHIN_MS = 60_000;
/** Enough different bodies that none is always warm in a cache. */
const SAMPLES = 500;
const P99_MS_MAX = 250;
const STEADY_SECONDS = 5;
export const DELIVERIES = 'Parley deliveries';
export const BARE = 'bare undici Pool loop';

/** A backlog of deliveries and a bare loop, both warm. */
export interface Deliveries {
  readonly stack: VoiceStack;
  readonly intake: VoiceService;
  readonly receiver: Receiver;
  /** What the bare loop posts. */
  readonly samples: readonly Sample[];
  readonly ours: Variant;
  readonly bare: Variant;
}

export const deliveriesPart: Part = {
  title: 'deliveries',
  open: (setting, measure, tell) =>
    withDeliveries(setting, async ({ stack, intake, receiver, ours, bare }) => {
      const measured = await measure({
        title: `Webhook deliveries of 2 KB, ${WEBHOOKS} webhooks, ${CONCURRENCY} calls at once from a process`,
        operation: 'call',
        windowSeconds: WINDOW_SECONDS,
        variants: [ours, bare],
        ratios: [{ of: 'rate', over: DELIVERIES, under: BARE, atLeast: 0.3, aim: 0.4 }],
        note:
          `from stored rows and rung jobs to the last 2xx, ${WORKERS} worker processes; queue: ${stack.queueDescription}; ` +
          'Postgres and Redis write durably, nothing is pinned; every signature was checked, every delivery counted once',
      });

      const rate = measured.variants.find(({ name }) => name === DELIVERIES)!.perSecond;
      const steady = await steadyLoad({
        name: 'steady',
        senders: [{ baseUrl: intake.baseUrl, apiKey: stack.apiKey, deliveriesPerMessage: WEBHOOKS }],
        messagesPerSecond: rate / 2 / WEBHOOKS,
        seconds: STEADY_SECONDS,
        receiver,
      });
      tell({
        title: 'First attempts at half that load',
        figures: [
          { name: 'deliveries', value: steady.deliveriesPerSecond, unit: 'a second' },
          { name: 'p50 from commit', value: quantileOf(steady.fromCommit, 0.5), unit: 'ms' },
          {
            name: 'p99 from commit',
            value: quantileOf(steady.fromCommit, 0.99),
            unit: 'ms',
            atMost: P99_MS_MAX,
          },
          { name: 'p99 from sending', value: quantileOf(steady.fromSending, 0.99), unit: 'ms' },
        ],
        note: 'to the arrival at the receiver; as the moment of the commit counts the answer of the intake, which follows it',
      });
    }),
};

export function withDeliveries(
  setting: Setting,
  work: (deliveries: Deliveries) => Promise<void>,
): Promise<void> {
  return withVoiceStack(setting, async (stack) => {
    const receiver = await startReceiver(setting.env);
    stack.onStop(() => receiver.stop());
    const intake = await stack.startService('http');
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => stack.startService('worker')));
    for (let index = 0; index < WEBHOOKS; index += 1) {
      await call('POST', `${intake.baseUrl}/webhooks`, stack.apiKey, {
        url: `${receiver.origin}/hook/${index}`,
        events: ['bot.message'],
        secret: WEBHOOK_SECRET,
      });
    }
    const backlog = drainBacklog(stack, intake, workers, receiver);
    const received = await backlog.drain(SAMPLES / WEBHOOKS, SAMPLES);
    const samples = received.samples.map(postable);
    const bareSender = startPinned({
      file: serverFile('bare-sender'),
      core: 0,
      pin: false,
      env: { PATH: setting.env['PATH'] },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    stack.onStop(() => bareSender.stop());
    const { origin } = receiver;
    const bare = inChild(BARE, bareSender, (seconds) => ({
      origin,
      samples,
      seconds,
      concurrency: CONCURRENCY,
    }));
    for (let times = 0; times < WARM_UP_WINDOWS; times += 1) await backlog.variant.run(WINDOW_SECONDS);
    await work({ stack, intake, receiver, samples, ours: backlog.variant, bare });
  });
}

/**
 * The workers are held (SIGSTOP) while the API takes events in, and then let go: measured is what
 * they do, with their code warm, and not how fast events come in.
 */
function drainBacklog(
  stack: VoiceStack,
  intake: VoiceService,
  workers: readonly VoiceService[],
  receiver: Receiver,
) {
  const pids = workers.map(({ process: { pid } }) => pid);

  let rate = RATE_GUESSED;
  let batches = 0;

  async function drain(messages: number, keep = 0) {
    const count = messages * WEBHOOKS;
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      for (let left = messages; left > 0; left -= EVENTS_PER_REQUEST) {
        const body = messageBatch(`b${(batches += 1)}`, Math.min(left, EVENTS_PER_REQUEST), Date.now());
        await call('POST', `${intake.baseUrl}/conversations/events`, stack.apiKey, body);
      }
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    // From here: a stopped process that goes on does so at once.
    const cpu = cpuTimer(pids);
    const startedAtMs = performance.timeOrigin + performance.now();
    const received = await receiver.expect(count, DRAINED_WITHIN_MS, keep);
    const cpuSeconds = cpu();
    const seconds = (received.lastAtMs - startedAtMs) / 1000;
    await until('the outcome of every delivery', DRAINED_WITHIN_MS, async () => {
      const { rows } = await stack.pool.query<{ pending: boolean }>(
        `SELECT EXISTS (SELECT FROM webhook_deliveries WHERE status = 'pending') AS pending`,
      );
      return !rows[0]!.pending;
    });
    return { samples: received.samples, window: { operations: count, seconds, cpuSeconds } satisfies Window };
  }

  const variant: Variant = {
    name: DELIVERIES,
    run: async (seconds) => {
      const { window } = await drain(Math.max(50, Math.round((rate * seconds) / WEBHOOKS)));
      rate = window.operations / window.seconds;
      return window;
    },
  };
  return { drain, variant };
}

/** The headers that we set; those of the connection are undici's own. */
function postable({ body, headers }: Sample): Sample {
  const own = Object.entries(headers).filter(
    ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'].includes(name),
  );
  return { body, headers: Object.fromEntries(own) };
}
