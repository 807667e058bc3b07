// `npm run test:receivers`: the sample receivers of the voice API's guide, in JavaScript and in Python, against a voice API that is
// started for the moment: real deliveries are verified and taken once, tampered ones are refused (platform §8).
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openLedger, removeAbandonedHomes, removeHome, startStack } from '@parley/local-stack';
import { CommandError, runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';
import { StopRequested, watchSignals } from '../signals.ts';
import { tryReceiver, type SampleReceiver } from '../try-receiver.ts';

/** The folders of such runs, beside the development stack's own data. */
const PREFIX = 'receivers-';

async function testReceivers(context: CommandContext): Promise<number> {
  const { root, env, report, print } = context;
  await requirePython();
  const samples: SampleReceiver[] = [
    { name: 'receiver.mjs', program: process.execPath, args: [pathOf(root, 'receiver.mjs')] },
    { name: 'receiver.py', program: 'python3', args: [pathOf(root, 'receiver.py')] },
  ];
  const parent = join(root, '.parley');
  mkdirSync(parent, { recursive: true });
  await removeAbandonedHomes(parent, PREFIX);
  const home = join(parent, `${PREFIX}${process.pid}`);
  const stopped = watchSignals(
    env['npm_lifecycle_event'] !== undefined,
    () => print('\nStopping (Ctrl-C again ends at once) …'),
    () => {
      openLedger(join(home, 'processes.json')).killNow();
      process.exit(1);
    },
  );
  try {
    const { signal } = stopped;
    const stack = await startStack({
      root,
      home,
      env,
      report,
      signal,
      services: ['voice-api'],
      throwaway: true,
    });
    try {
      for (const sample of samples)
        await report.step(
          `${sample.name} verifies, takes each event once, refuses what was tampered with`,
          () => tryReceiver(stack.services['voice-api'], sample, env, signal),
        );
    } finally {
      await stack.stop();
    }
    print(`\n${samples.length} passed, 0 failed`);
    return 0;
  } catch (error) {
    if (error instanceof StopRequested) return error.exitCode;
    throw error;
  } finally {
    await removeHome(home);
  }
}

function pathOf(root: string, file: string): string {
  return join(root, 'apps', 'voice-api', 'test', 'receivers', file);
}

/** The receiver in Python is half of what is tested: without Python nothing is. */
async function requirePython(): Promise<void> {
  try {
    await promisify(execFile)('python3', ['--version']);
  } catch {
    throw new CommandError(
      'There is no python3 on PATH. Install it: apt-get install python3 (Debian), brew install python (macOS), dnf install python3 (Fedora).',
    );
  }
}

await runCommand(testReceivers);
