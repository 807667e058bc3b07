// Starts one server as a child of its own process group, with a log file, and stops it again. Its
// own group: Ctrl-C in the terminal reaches the launcher only, which then stops everything in
// order.
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  fstatSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { signalGroup } from './process-ledger.ts';
import type { ProcessLedger } from './process-ledger.ts';

export interface StartOptions {
  /** For messages and the ledger: `postgres`, `redis`, `flow-builder`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly logFile: string;
  readonly ledger: ProcessLedger;
  /** SIGTERM unless given. */
  readonly stopSignal?: NodeJS.Signals;
  /** SIGKILL unless given. */
  readonly killSignal?: NodeJS.Signals;
  /** How long stop() waits for an ordered end before it kills. */
  readonly stopTimeoutMs: number;
}

/** How a process ended: a status, a signal, or why it could not be started. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** The last lines that this process wrote to its log, under its name; for error messages. */
  tail(): string;
  /** Settles when it has ended, however that came. */
  readonly exited: Promise<Exit>;
  /** How it ended, or null while it runs. */
  exit(): Exit | null;
  /** Asks it to end, kills it when the time is up. May be called more than once. */
  stop(): Promise<Exit>;
}

/** At the next start a log larger than this is moved aside as `<name>.log.1`. */
const LOG_BYTES_MAX = 5 * 1024 * 1024;

export function startProcess(options: StartOptions): RunningProcess {
  const { name, ledger, logFile, stopSignal = 'SIGTERM', killSignal = 'SIGKILL' } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  if (existsSync(logFile) && statSync(logFile).size > LOG_BYTES_MAX) renameSync(logFile, `${logFile}.1`);
  const log = openSync(logFile, 'a', 0o600);
  const { size: logStart } = fstatSync(log); // what stands before is of earlier runs
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...options.env },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid }),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const { pid } = child;
  if (pid !== undefined) ledger.add({ name, pid, stopSignal, killSignal });

  let exit: Exit | null = null;
  const exited = new Promise<Exit>((resolve) => {
    const ended = (how: Exit): void => {
      exit ??= how;
      if (pid !== undefined) ledger.remove(pid);
      resolve(exit);
    };
    child.once('exit', (code, signal) => ended({ code, signal }));
    child.once('error', (error) => {
      if (pid === undefined) ended({ code: null, signal: null, error });
    });
  });

  // Once only: to a service, a second signal means to end at once.
  let stopping: Promise<Exit> | undefined;
  const endInOrder = async (): Promise<Exit> => {
    if (pid === undefined || exit !== null) return exited;
    signalGroup(pid, stopSignal);
    const kill = setTimeout(() => signalGroup(pid, killSignal), options.stopTimeoutMs);
    return exited.finally(() => clearTimeout(kill));
  };

  return {
    name,
    pid: pid ?? 0,
    logFile,
    tail: () => logTail(logFile, logStart),
    exited,
    exit: () => exit,
    stop: () => (stopping ??= endInOrder()),
  };
}

/** How a process ended, in words: `ended with status 1`. */
export function describeExit(exit: Exit): string {
  if (exit.error) return `could not be started: ${exit.error.message}`;
  return exit.signal === null ? `ended with status ${exit.code}` : `was ended by ${exit.signal}`;
}

/** Enough to read in a terminal, and to hold a stack trace. */
const TAIL_LINES = 20;
const TAIL_BYTES_MAX = 64 * 1024;

function logTail(logFile: string, start: number): string {
  let text: string;
  try {
    const file = openSync(logFile, 'r');
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.max(0, Math.min(size - start, TAIL_BYTES_MAX)));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    closeSync(file);
    text = buffer.toString('utf8').trimEnd();
  } catch (error) {
    text = `(it cannot be read: ${(error as Error).message})`; // what it is wanted for matters more
  }
  const lines = text === '' ? ['(nothing)'] : text.split('\n').slice(-TAIL_LINES);
  return [`The end of ${logFile}:`, ...lines.map((line) => `    ${line}`)].join('\n');
}
