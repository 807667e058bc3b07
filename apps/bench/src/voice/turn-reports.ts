// Reports of turns on their way from a flow builder to one worker of the voice API
// (docs/platform.md#messages-between-services): a backlog of outbox rows and jobs, until every
// report is applied and acknowledged.
import { openMessageSender } from '@parley/testing-services/message-sender';
import type { Part } from '../suites.ts';
import { until } from '../service-stack.ts';
import { median } from '../statistics.ts';
import { EVENTS_PER_CONVERSATION, conversationBatch } from './event-batches.ts';
import { withVoiceStack, type VoiceStack } from './voice-stack.ts';

const REPORTS = 30_000;
/** As many turns as end in the same few milliseconds on a busy flow builder. */
const REPORTS_AT_ONCE = 200;
const PER_SECOND_MIN = 8_000;
const WITHIN_MS = 120_000;

export const turnReportsPart: Part = {
  title: 'turn reports',
  open: (setting, _measure, tell) =>
    withVoiceStack(setting, async (stack) => {
      const sender = await openMessageSender(stack.databaseUrl, stack.queueUrl, stack.secretFile);
      stack.onStop(() => sender.close());
      const rates: number[] = [];
      for (let round = 0; round < setting.rounds; round += 1) {
        setting.signal.throwIfAborted();
        const body = conversationBatch(`r${round}`, REPORTS / EVENTS_PER_CONVERSATION, Date.now() - 60_000);
        const { events } = JSON.parse(body) as { events: never[] };
        await sender.send(stack.organizationId, events, REPORTS_AT_ONCE);
        rates.push(await consumeAll(stack, (round + 1) * REPORTS));
      }
      tell({
        title: `Turn reports into one worker, a backlog of ${REPORTS}`,
        figures: [{ name: 'applied', value: median(rates), unit: 'reports/s', atLeast: PER_SECOND_MIN }],
        note:
          'from the first report to the last one, which is in the state of its conversation, the transcript and the analytics. ' +
          'Worker, Postgres, Redis and the acknowledgements of the producer share the machine',
      });
    }),
};

/** Starts a worker, waits until it has applied everything, and stops it. Gives its rate. */
async function consumeAll(stack: VoiceStack, total: number): Promise<number> {
  const count = async () => {
    const { rows } = await stack.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM inbox');
    return rows[0]!.count;
  };
  const before = await count();
  const worker = await stack.startService('worker');
  const from = await count();
  const startedAt = performance.now();
  if (from - before > REPORTS / 10)
    throw new Error(`${from - before} reports were applied before the worker was ready`);
  await until('all reports applied', WITHIN_MS, async () => (await count()) === total);
  const seconds = (performance.now() - startedAt) / 1_000;
  await worker.process.stop();
  return (total - from) / seconds;
}
