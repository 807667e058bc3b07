// What every command of the launcher shares: where the checkout is, how lines are written, how it
// ends. Called by src/commands/*.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineReport, type Report } from '@parley/testing/servers';

/** What a command is given; the only place of the launcher that reads `process`. */
export interface CommandContext {
  /** The checkout. */
  readonly root: string;
  /** Where the development stack keeps everything: PARLEY_HOME, else `.parley` in the checkout. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What stands behind the command's name. */
  readonly args: readonly string[];
  readonly report: Report;
  readonly print: (text: string) => void;
}

/** A wrong call or an expected failure: its message is all that a person needs. */
export class CommandError extends Error {}

/**
 * Runs a command and ends the process with the status that it returns. An error is printed without
 * its stack unless PARLEY_DEBUG is set: nearly all of them are about the machine, not about our
 * code.
 */
export async function runCommand(command: (context: CommandContext) => Promise<number>): Promise<void> {
  const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  // A terminal that was closed, or `npm start | head`: what remains is to stop in order, not to die
  // of a line.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let status: number;
  try {
    status = await command({
      root,
      home: resolve(process.env['PARLEY_HOME'] || join(root, '.parley')),
      env: process.env,
      args: process.argv.slice(3),
      report: lineReport(print, () => performance.now()),
      print,
    });
  } catch (error) {
    process.stderr.write(
      `\n${process.env['PARLEY_DEBUG'] ? String((error as Error)?.stack ?? error) : messageOf(error)}\n`,
    );
    status = 1;
  }
  process.exit(status);
}

/**
 * The message. An AggregateError without one gives the messages of its parts: Node throws it when
 * no address of a name answers.
 */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
