// Programs that a set-up runs, and how long it waits: long enough for a slow machine, and never
// without saying for what.
import { execFile } from 'node:child_process';
import type { ExecFileOptions } from 'node:child_process';

/**
 * Ends what hangs, not what is slow: a step of seconds takes minutes under `nice` on a busy
 * machine.
 */
export const SETUP_WITHIN_MS = 15 * 60_000;

/** A step that was not done in time. */
export class TookTooLong extends Error {
  constructor(what: string, timeoutMs: number, output = '') {
    super(`${what}: not done after ${timeoutMs / 1000} s.${output === '' ? '' : `\n${output}`}`);
    this.name = 'TookTooLong';
  }
}

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Runs a program to its end and returns its standard output. `what` says what does not work when it
 * fails.
 * @throws TookTooLong, or an Error with everything that the program wrote
 */
export function runStep(
  what: string,
  command: string,
  args: readonly string[],
  { timeout = SETUP_WITHIN_MS, ...options }: Pick<ExecFileOptions, 'cwd' | 'env' | 'timeout'> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const settings = { ...options, timeout, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' } as const;
    execFile(command, args, settings, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const output = `${stdout}${stderr}`.trim();
      if (error.killed && error.signal === 'SIGTERM') return reject(new TookTooLong(what, timeout, output));
      reject(new Error(`${what}: ${output || error.message}`, { cause: error }));
    });
  });
}
