// What every main.ts does: read the configuration, start, run, and stop in order.
import { setFlagsFromString } from 'node:v8';
import type { z } from 'zod';
import { readConfig, summarizeConfig, type Environment } from './config.ts';
import { createLog, type Log } from './log.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';

export interface ServiceStart<Config> {
  readonly config: Config;
  readonly env: Environment;
  readonly log: Log;
  readonly life: Lifecycle;
}

/** A start that the operator must mend: its message is one plain sentence. */
export class StartRefused extends Error {}

/**
 * Growth of the heap before a collection, in per cent of the used size. With the heap of k8s/base
 * V8 would choose 30 and collect four times a second under large bodies
 * (docs/performance.md#what-one-request-may-take). Not available in NODE_OPTIONS.
 */
const HEAP_GROWING = '--heap-growing-percent=200';

/**
 * Runs one service in this process.
 * - Invalid configuration: every problem on standard error, exit 1.
 * - SIGTERM or SIGINT: ordered stop, exit 0 (1 if a step failed); a second signal ends immediately.
 * - An unhandled rejection or exception is a bug: logged, exit 1.
 */
export async function runService<Config extends { LOG_LEVEL: string }>(
  service: string,
  schema: z.ZodType<Config>,
  env: Environment,
  start: (starting: ServiceStart<Config>) => Promise<void>,
): Promise<void> {
  const read = readConfig(schema, env);
  if (!read.ok) {
    const lines = read.problems.map((problem) => `  - ${problem}`).join('\n');
    process.stderr.write(`${service} cannot start: the configuration is wrong\n${lines}\n`);
    process.exit(1);
  }
  setFlagsFromString(HEAP_GROWING);
  const { config } = read;
  const log = createLog({ service, level: config.LOG_LEVEL });
  const life = createLifecycle(log);

  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(1);
    void life.stop(signal).then(({ clean }) => process.exit(clean ? 0 : 1));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const onBug = (event: string) => (error: unknown) => {
    log.fatal({ err: error }, event);
    process.exit(1);
  };
  process.on('unhandledRejection', onBug('process.unhandled_rejection'));
  process.on('uncaughtException', onBug('process.uncaught_exception'));

  log.info({ config: summarizeConfig(config) }, 'service.starting');
  try {
    await start({ config, env, log, life });
  } catch (error) {
    if (error instanceof StartRefused) process.stderr.write(`${service} cannot start: ${error.message}\n`);
    else log.fatal({ err: error }, 'service.start_failed');
    await life.stop('start failed');
    process.exit(1);
  }
}
