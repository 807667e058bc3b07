// The logger: JSON lines on standard output, one canonical line for each unit of work, secrets
// masked (docs/platform.md#logs-and-metrics).
import { types } from 'node:util';
import { pino, type DestinationStream, type Logger } from 'pino';
import { Secret } from './secret.ts';

export type Log = Logger;

/** Members that are masked up to three levels deep. A Secret is always masked by its type. */
const MASKED = new Set([
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'webhook_url',
  'p256dh',
]);
const MASKED_LEVELS = 3;
const CENSOR = '[secret]';

/** Maximum causes of a logged error; a longer chain is a loop or says nothing new. */
const CAUSES_MAX = 5;

/**
 * The parts of an error that are safe to log. Client libraries attach whole requests, keys
 * included.
 */
export function plainError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return typeof error === 'string' ? { message: error } : { type: typeof error };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined || depth >= CAUSES_MAX
      ? {}
      : { cause: plainError(error.cause, depth + 1) }),
  };
}

function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

/**
 * Masks secrets by name, and reduces errors under any name but `err` (which has its serializer).
 * Copies only what it changes, since most lines have nothing to hide. pino's own `redact` walks
 * three paths for each name and line.
 */
function maskFacts(facts: Record<string, unknown>, levels = MASKED_LEVELS): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(facts)) {
    const value = facts[name];
    const safe = MASKED.has(name) && value !== undefined ? CENSOR : maskValue(name, value, levels);
    if (safe !== value)
      (copy ??= (Array.isArray(facts) ? [...facts] : { ...facts }) as Record<string, unknown>)[name] = safe;
  }
  return copy ?? facts;
}

function maskValue(name: string, value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isError(value)) return levels === MASKED_LEVELS && name === 'err' ? value : plainError(value);
  if (levels === 1 || value instanceof Secret) return value;
  return maskFacts(value as Record<string, unknown>, levels - 1);
}

export interface LogOptions {
  readonly service: string;
  readonly level: string;
  /** Where the lines go. Default: standard output. */
  readonly destination?: DestinationStream;
}

export function createLog(options: LogOptions): Log {
  const settings = {
    base: { service: options.service },
    level: options.level,
    messageKey: 'event',
    serializers: { err: plainError },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (facts: Record<string, unknown>) => maskFacts(facts),
    },
  };
  return pino(settings, options.destination ?? bufferedStdout());
}

/** Lines are written in blocks: a write call costs more than a line (docs/performance.md#http). */
const BLOCK_CHARS = 4_096;
const FLUSH_AFTER_MS = 250;

/**
 * Buffers process.stdout, which on Linux writes synchronously: blocks keep their order, and flushed
 * lines are out when the process ends. pino's own destination writes in another thread, so a fatal
 * line may be overtaken or lost; its `minLength` measures all waiting text again for every line.
 */
function bufferedStdout(): DestinationStream & { flushSync(): void } {
  let lines = '';
  let timer: NodeJS.Timeout | undefined; // only while lines wait, so that an idle service sleeps
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines === '') return;
    const block = lines;
    lines = '';
    process.stdout.write(block);
  };
  process.on('exit', flush);
  process.stdout.on('error', () => undefined); // a closed reader is no reason to stop the service
  return {
    flushSync: flush, // pino calls it after a fatal line
    write: (line) => {
      lines += line;
      if (lines.length >= BLOCK_CHARS) flush();
      else timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
    },
  };
}

/** Ignores a failure deliberately: logs it with its reason. */
export async function ignoreFailure(work: Promise<unknown>, why: string, log: Log): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.warn({ err: error, why }, 'failure.ignored');
  }
}
