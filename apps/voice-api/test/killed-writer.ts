// A process of voice-api that commits events in four concurrent transactions of different lengths
// until a test kills it. Its environment is JSON in the first argument, the number of its first
// event the second.
import { setTimeout as pause } from 'node:timers/promises';
import { createLifecycle, createLog, readConfig } from '@parley/server/runtime';
import { inTransaction } from '@parley/server/postgres';
import { config } from '../src/config.ts';
import { computeEventId } from '../src/deliveries/event-id.ts';
import { writeDeliveries } from '../src/deliveries/write-deliveries.ts';
import { createDeps } from '../src/deps.ts';
import { event } from './webhooks.ts';

const env = JSON.parse(process.argv[2] ?? '') as Record<string, string>;
const KILLED = { organizationId: 'acme', conversationId: 'killed' };
let n = Number(process.argv[3]);
const read = readConfig(config, env);
if (!read.ok) throw new Error(read.problems.join('\n'));
const log = createLog({ service: 'killed', level: 'warn' });
const deps = await createDeps({ config: read.config, env, log, life: createLifecycle(log) });

const write = async (): Promise<never> => {
  for (;;)
    await inTransaction(deps.pool, async (sql) => {
      await writeDeliveries(deps, sql, [
        event({ metadata: { n: (n += 1) }, id: computeEventId(KILLED, 'conversation.started', String(n)) }),
      ]);
      await pause(Math.random() * 20);
    });
};
await Promise.all(Array.from({ length: 4 }, write));
