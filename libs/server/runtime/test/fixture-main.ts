// A minimal service for run-service.int.test.ts, run as a process of its own.
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { integer, runService, serverUrl } from '../src/index.ts';

const config = z
  .object({
    LOG_LEVEL: z.enum(['info', 'debug']).default('info'),
    PORT: integer(1, 65535).default(3000),
    DATABASE_URL: serverUrl('postgres'),
    BEHAVIOUR: z.enum(['stay', 'hang', 'fail', 'reject', 'throw', 'unclean', 'talk']),
    NEEDS_BOTH: z.string().optional(),
  })
  .superRefine((read, context) => {
    if (read.NEEDS_BOTH === undefined)
      context.addIssue({ code: 'custom', path: ['NEEDS_BOTH'], message: 'is a rule' });
  });

await runService('fixture', config, process.env, async ({ config: read, log, life }) => {
  life.onStop('database', () => log.info('stopped.database'));
  life.onStop('workers', async () => {
    if (read.BEHAVIOUR === 'hang') await new Promise(() => undefined);
    if (read.BEHAVIOUR === 'talk') {
      log.fatal('fixture.talks'); // written immediately; its failure comes a moment later
      await delay(100);
    }
    if (read.BEHAVIOUR === 'unclean') throw new Error('would not end');
    log.info('stopped.workers');
  });
  const alive = setInterval(() => undefined, 1_000);
  life.onStop('http', () => {
    clearInterval(alive);
    log.info('stopped.http');
  });
  if (read.BEHAVIOUR === 'fail') throw new Error('the port is taken');
  if (read.BEHAVIOUR === 'reject') setImmediate(() => void Promise.reject(new Error('forgotten')));
  if (read.BEHAVIOUR === 'throw') {
    setImmediate(() => {
      throw new Error('thrown in the open');
    });
  }
  log.info('service.ready');
});
