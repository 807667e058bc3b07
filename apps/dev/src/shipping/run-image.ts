// Runs a built image's commands as a cluster does: as another user than root, from a tree that
// nobody may write to. Called by the image-rehearse command and by tests.
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SETUP_WITHIN_MS } from '@parley/testing/servers';
import type { BuiltImage } from './build-image.ts';

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Everything it wrote so far, both streams. */
  output(): string;
  /** Its exit status, when it has ended. */
  readonly ended: Promise<number>;
}

/** Where nobody may write: a process that wants a home or a place for temporary files has none. */
const NOWHERE = '/nonexistent';

/**
 * Starts the image with these arguments (its CMD without any) and this environment beside its own.
 */
export function runImage(
  image: BuiltImage,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningCommand {
  const root = process.getuid?.() === 0;
  // The image's Node is this machine's: nothing else of the entry point could differ.
  const child = spawn(process.execPath, args.length > 0 ? [...args] : [...image.cmd], {
    cwd: image.folder,
    env: { ...image.env, ...env, HOME: NOWHERE, TMPDIR: NOWHERE },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(root ? { uid: image.user, gid: image.user } : {}),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise<number>((resolve, reject) => {
    child.once('close', (code) => resolve(code ?? 1));
    child.once('error', reject);
  });
  return { child, output: () => output, ended };
}

/** Runs to the end. @throws Error with the output when that is not a success. */
export async function runToEnd(
  image: BuiltImage,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const command = runImage(image, args, env);
  const status = await command.ended;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${command.output()}`);
  return command.output();
}

const READY_INTERVAL_MS = 50;

/**
 * Waits until a URL answers 200. @throws Error with the output when the process ends first, or
 * hangs.
 */
export async function untilAnswers(url: string, command: RunningCommand): Promise<void> {
  let status: number | undefined;
  void command.ended.then((code) => (status = code));
  for (const deadline = performance.now() + SETUP_WITHIN_MS; performance.now() < deadline;) {
    if (status !== undefined) break;
    const answer = await fetch(url).catch(() => undefined); // not listening yet
    if (answer?.status === 200) return;
    await sleep(READY_INTERVAL_MS);
  }
  throw new Error(`${url} does not answer (exit status ${status ?? 'none'}):\n${command.output()}`);
}
