// Starts the dashboard on a queue with one failed job.
import { capturedLog, eventually } from '@parley/testing';
import { listen } from '@parley/server/http';
import { onJob, openEngine, openQueues, type JobKind } from '@parley/jobs';
import { createLog, Secret, systemClock } from '@parley/server/runtime';
import { z } from 'zod';
import { createDashboard } from '../src/dashboard/dashboard.ts';
import { uiFolder } from '../src/dashboard/run-dashboard.ts';

export const QUEUE = 'conversation-events';
export const DEAD_JOB = 'msg_1-1-0';
export const passwords = { operator: 'an operator, awake', viewer: 'a viewer, curious' };
/** The payload of the failed job. */
export const PAYLOAD_TEXT = 'the words of a caller';

export async function dashboardUnderTest({ url, prefix }: { url: string; prefix: string }) {
  const captured = capturedLog();
  const log = createLog({ service: 'queue-dashboard', level: 'info', destination: captured });
  const engine = openEngine({ url: new Secret(url), prefix, log });
  const app = createDashboard({
    service: 'voice-api',
    engine,
    passwords: async () => passwords,
    uiFolder: uiFolder(),
    log,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const queues = openQueues({ url: new Secret(url), prefix, clock: systemClock, log });
  /** Payloads that the worker processed, once its schema accepted them. */
  const processed: unknown[] = [];
  let understands = false;
  const kind: JobKind<unknown> = {
    name: 'conversation.event',
    queue: QUEUE,
    payload: z.unknown().refine(() => understands),
    attempts: 1,
    timeoutMs: 5_000,
  };
  queues.worker(QUEUE, [onJob(kind, async (data) => void processed.push(data))], { concurrency: 1 });
  const failed = async () => (await queues.readStats([QUEUE]))[0]?.failed;
  const queue = await engine.queue(QUEUE);
  await queue!.add(kind.name, { id: 'msg_1', payload: { text: PAYLOAD_TEXT } }, { jobId: DEAD_JOB });
  await eventually(async () => (await failed()) === 1);
  understands = true;
  return {
    url: server.url,
    captured,
    processed,
    failed,
    close: async () => {
      await server.close();
      await queues.close();
      await engine.close();
    },
  };
}
