// A worker process of voice-api that tests kill. Its environment is JSON in the first argument.
import { createLifecycle, createLog, readConfig } from '@parley/server/runtime';
import { config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorkers } from '../src/worker.ts';

const env = JSON.parse(process.argv[2] ?? '') as Record<string, string>;
const read = readConfig(config, env);
if (!read.ok) throw new Error(read.problems.join('\n'));
const log = createLog({ service: 'killed', level: 'warn' });
const life = createLifecycle(log);
startWorkers(await createDeps({ config: read.config, env, log, life }), life);
