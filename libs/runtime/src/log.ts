// The logger: JSON lines on standard output, one canonical line a unit of work, secrets out of reach (docs/platform.md#logs-and-metrics).
import { types } from 'node:util';
import { pino, type DestinationStream, type Logger } from 'pino';
import { Secret } from './secret.ts';

export type Log = Logger;

/** Members that are masked wherever they stand, up to three levels deep. A Secret is masked by its type in any case. */
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

/** Causes followed when an error is logged; a longer chain is a loop or says nothing new. */
const CAUSES_MAX = 5;

/** The parts of an error that are safe to log: client libraries hang whole requests, keys included, on theirs. */
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
 * What may be shown of a line's facts: names of secrets are masked, and an error under any name but `err` (which has its
 * serializer) is made plain. Copies only what it changes: nearly every line is flat and has nothing to hide. pino's own `redact`
 * walks three paths a name for every line.
 */
function shown(facts: Record<string, unknown>, levels = MASKED_LEVELS): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(facts)) {
    const value = facts[name];
    const safe = MASKED.has(name) && value !== undefined ? CENSOR : shownValue(name, value, levels);
    if (safe !== value)
      (copy ??= (Array.isArray(facts) ? [...facts] : { ...facts }) as Record<string, unknown>)[name] = safe;
  }
  return copy ?? facts;
}

function shownValue(name: string, value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isError(value)) return levels === MASKED_LEVELS && name === 'err' ? value : plainError(value);
  if (levels === 1 || value instanceof Secret) return value;
  return shown(value as Record<string, unknown>, levels - 1);
}

export interface LogOptions {
  readonly service: string;
  readonly level: string;
  /** Where the lines go; standard output when left out. */
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
      log: (facts: Record<string, unknown>) => shown(facts),
    },
  };
  return pino(settings, options.destination ?? bufferedStdout());
}

/** Lines are written in blocks: one write call a line costs more than the line (docs/performance.md#http). */
const BLOCK_CHARS = 4_096;
const FLUSH_EVERY_MS = 250;

/**
 * On process.stdout, which on Linux writes before it returns: blocks stay in their order, and what was flushed is out when the
 * process ends. pino's own destination writes in a thread of its own, so that a fatal line may be overtaken, or lost at the end; and
 * its `minLength` measures all that waits again for every line, which costs twice what making the line does.
 */
function bufferedStdout(): DestinationStream & { flushSync(): void } {
  let lines = '';
  const flush = () => {
    if (lines === '') return;
    const block = lines;
    lines = '';
    process.stdout.write(block);
  };
  setInterval(flush, FLUSH_EVERY_MS).unref();
  process.on('exit', flush);
  process.stdout.on('error', () => undefined); // nobody reads it any more: no reason to stop the service
  return {
    flushSync: flush, // pino calls it after a fatal line
    write: (line) => {
      lines += line;
      if (lines.length >= BLOCK_CHARS) flush();
    },
  };
}

/** Spells a deliberate swallow: the failure is logged with its reason and goes no further. */
export async function ignoreFailure(work: Promise<unknown>, why: string, log: Log): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.warn({ err: error, why }, 'failure.ignored');
  }
}
