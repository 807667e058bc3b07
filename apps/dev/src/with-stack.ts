// Work with the whole of Parley: the development stack that runs, or one that is started for the
// moment.
import { join } from 'node:path';
import { FolderLocked, lockHolder, openLedger } from '@parley/testing/servers';
import { readJson, SERVICES, startStack, type ServiceName } from './stack/index.ts';
import type { ServiceAccess } from './call-service.ts';
import type { DevFile } from './dev-file.ts';
import { CommandError } from './run-command.ts';
import type { CommandContext } from './run-command.ts';
import { StopRequested, watchSignals } from './signals.ts';

export type Services = Readonly<Record<ServiceName, ServiceAccess>>;

/** Returns the exit status. */
export type Work = (services: Services, signal: AbortSignal) => Promise<number>;

const BUSY = 'The development stack is just starting or stopping. Try again in a moment.';

/**
 * Works with the running stack; without one, starts it on free ports, with the same data, and stops
 * it again.
 */
export async function withStack(context: CommandContext, work: Work): Promise<number> {
  const { root, home, env, report, print } = context;
  const isOurs = lockHolder(join(home, 'stack.lock')) === null;
  const stopped = watchSignals(
    env['npm_lifecycle_event'] !== undefined,
    () => print('\nStopping (Ctrl-C again ends at once) …'),
    () => {
      // The processes of a stack that was there before are not ours to end.
      if (isOurs) openLedger(join(home, 'processes.json')).killNow();
      process.exit(1);
    },
  );
  try {
    if (!isOurs) return await work(runningServices(home), stopped.signal);
    const stack = await startStack({ root, home, env, report, signal: stopped.signal });
    try {
      return await work(stack.services, stopped.signal);
    } finally {
      await stack.stop();
      print('Everything is stopped; what was made is there at the next `npm start`.');
    }
  } catch (error) {
    if (error instanceof StopRequested) return error.exitCode;
    if (error instanceof FolderLocked) throw new CommandError(BUSY);
    throw error;
  }
}

/** What dev.json says. @throws CommandError when the stack is not ready. */
function runningServices(home: string): Services {
  const running = readJson<DevFile>(join(home, 'dev.json'));
  if (running === null) throw new CommandError(BUSY);
  const entries = SERVICES.map((name) => {
    const { base_url, api_key } = running.services[name];
    return [name, { origin: new URL(base_url).origin, apiKey: api_key }] as const;
  });
  return Object.fromEntries(entries) as Record<ServiceName, ServiceAccess>;
}
