// `npm start`: a whole Parley on this machine, until Ctrl-C (platform §8).
import { join } from 'node:path';
import { FolderLocked, openLedger, startStack } from '@parley/stack';
import type { Stack } from '@parley/stack';
import { keepDemoFlow } from '../demo-flow.ts';
import { removeDevFile, writeDevFile } from '../dev-file.ts';
import { portBase } from '../port-base.ts';
import { CommandError, runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';
import { StopRequested, watchSignals } from '../signals.ts';
import { welcome } from '../welcome.ts';

async function start(context: CommandContext): Promise<number> {
  const { root, home, env, report, print } = context;
  const devFile = join(home, 'dev.json');
  const stopped = watchSignals(
    env['npm_lifecycle_event'] !== undefined,
    () => print('\nStopping (Ctrl-C again ends at once) …'),
    () => {
      openLedger(join(home, 'processes.json')).killNow();
      process.exit(1);
    },
  );

  print('Parley');
  let stack: Stack;
  try {
    stack = await startStack({ root, home, env, report, signal: stopped.signal, portBase: portBase(env) });
  } catch (error) {
    if (error instanceof StopRequested) return error.exitCode;
    if (error instanceof FolderLocked) {
      throw new CommandError(`Parley is already running here (process ${error.pid}); see ${devFile}.`);
    }
    throw error;
  }

  try {
    removeDevFile(devFile);
    const demoFlowId = await keepDemoFlow(stack.services['flow-builder']);
    writeDevFile(devFile, stack, process.pid);
    print(welcome(stack, demoFlowId, home));
    const end = await Promise.race([stack.unexpectedEnd, aborted(stopped.signal)]);
    if (end === null) return 0;
    print(`\n${end.name} ${end.text}\n\nStopping everything …`);
    return 1;
  } finally {
    removeDevFile(devFile);
    await stack.stop();
    print('Everything is stopped.');
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

await runCommand(start);
