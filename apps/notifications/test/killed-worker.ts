// A worker process of notifications for tests to kill. Its first argument is its environment as
// JSON, the second one the duration of a lease.
import { createLifecycle, createLog, readConfig } from '@parley/server/runtime';
import { config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorker } from '../src/worker.ts';

const env = JSON.parse(process.argv[2] ?? '') as Record<string, string>;
const read = readConfig(config, env);
if (!read.ok) throw new Error(read.problems.join('\n'));
const log = createLog({ service: 'killed', level: 'warn' });
const life = createLifecycle(log);
const parts = { leaseMs: Number(process.argv[3]), sweepMs: 200 };
startWorker(await createDeps({ config: read.config, env, log, life }, parts), life);
