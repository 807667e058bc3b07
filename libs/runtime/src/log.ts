// The logger: JSON lines on standard output, one canonical line a unit of work, secrets out of reach (platform §6, §7).
import { types } from 'node:util';
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Members that are masked wherever they stand, up to three levels deep. A Secret is masked by its type in any case. */
const MASKED = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'webhook_url',
  'p256dh',
];
const redact = {
  paths: MASKED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  censor: '[secret]',
};

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

/** An error under any name but `err` (which has its serializer) would show every member it carries. */
function withPlainErrors(facts: Record<string, unknown>): Record<string, unknown> {
  let plain = facts;
  for (const [name, value] of Object.entries(facts)) {
    if (name !== 'err' && isError(value)) plain = { ...plain, [name]: plainError(value) };
  }
  return plain;
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
    redact,
    messageKey: 'event',
    serializers: { err: plainError },
    formatters: { level: (label: string) => ({ level: label }), log: withPlainErrors },
  };
  return pino(settings, options.destination ?? bufferedStdout());
}

/** Lines are written in blocks: one write call a line costs more than the line (research: HTTP floor). */
const BLOCK_BYTES = 4_096;
const FLUSH_EVERY_MS = 250;

function bufferedStdout(): DestinationStream {
  const out = pino.destination({ dest: 1, sync: false, minLength: BLOCK_BYTES });
  setInterval(() => out.flush(), FLUSH_EVERY_MS).unref();
  return out; // pino writes what is left when the process exits
}

/** Spells a deliberate swallow: the failure is logged with its reason and goes no further. */
export async function ignoreFailure(work: Promise<unknown>, why: string, log: Log): Promise<void> {
  try {
    await work;
  } catch (error) {
    log.warn({ err: error, why }, 'failure.ignored');
  }
}
