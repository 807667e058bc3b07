// A whole Parley on this machine, until Ctrl-C, for `npm start` in a checkout and for `npx parley`
// anywhere (docs/platform.md#development-stack).
import { join } from 'node:path';
import { FolderLocked, openLedger } from '@parley/testing/servers';
import { mintToken, SERVICES, startStack, type Stack, type StackOptions } from './stack/index.ts';
import { keepDemoBot, keepDemoSecret, keepDemoWebhook } from './demo-bot.ts';
import { keepDemoConversation } from './demo-conversation.ts';
import { keepDemoFlow } from './demo-flow.ts';
import { startDemoReceiver, type DemoReceiver } from './demo-receiver.ts';
import { removeDevFile, writeDevFile } from './dev-file.ts';
import { serviceNamed } from './databases.ts';
import { portBase } from './port-base.ts';
import { CommandError, type CommandContext } from './run-command.ts';
import { StopRequested, watchSignals } from './signals.ts';
import { DEMO_USER, serviceRows, welcome } from './welcome.ts';

/** What differs between a checkout and the npm package. */
export interface StartOptions extends CommandContext {
  /** Where bundles and a Redis come from; by default from the checkout. */
  readonly programs?: Pick<StackOptions, 'distDir' | 'queue'>;
  /** How a person calls the operator's program. */
  readonly operatorProgram: string;
}

/** Returns the exit status. `args` names services; none: all of them, with console and demo. */
export async function start(context: StartOptions): Promise<number> {
  const { root, home, env, args, report, print, programs, operatorProgram } = context;
  const services = args.length === 0 ? SERVICES : args.map(serviceNamed);
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
    const options = { root, home, env, report, services, signal: stopped.signal, ...programs };
    stack = await startStack({ ...options, console: args.length === 0, portBase: portBase(env) });
  } catch (error) {
    if (error instanceof StopRequested) return error.exitCode;
    if (error instanceof FolderLocked) {
      throw new CommandError(`Parley is already running here (process ${error.pid}); see ${devFile}.`);
    }
    throw error;
  }

  let receiver: DemoReceiver | undefined;
  try {
    removeDevFile(devFile);
    if (stack.console) {
      const secret = keepDemoSecret(home);
      receiver = await openReceiver(portBase(env) + SERVICES.length, secret, print);
      const voice = stack.services['voice-api'];
      const flowId = await keepDemoFlow(stack.services['flow-builder']);
      const botId = await keepDemoBot(voice, flowId);
      await keepDemoWebhook(voice, receiver.url, secret);
      await keepDemoConversation(stack.services, flowId, botId).catch((error: unknown) => {
        report.note(`  ! no demo conversation: ${error instanceof Error ? error.message : String(error)}`); // the flow is the developer's to break
      });
      const [link, linkForPrograms] = [
        await stack.console.link('npm start'),
        await stack.console.link('dev.json'),
      ];
      const console = { base_url: stack.console.baseUrl, sign_in_url: linkForPrograms };
      writeDevFile(devFile, stack, console, process.pid);
      const token = await mintToken(stack, DEMO_USER);
      const demo = { flowId, botId, receiverUrl: receiver.url, link, token, operatorProgram };
      print(welcome(stack, demo, home));
    } else
      print(
        ['', ...serviceRows(stack), '', `Logs: ${home}/logs. Ctrl-C stops it; the data stays.`].join('\n'),
      );
    const end = await Promise.race([stack.unexpectedEnd, aborted(stopped.signal)]);
    if (end === null) return 0;
    print(`\n${end.name} ${end.text}\n\nStopping everything …`);
    return 1;
  } finally {
    removeDevFile(devFile);
    await stack.stop();
    await receiver?.close(); // after the stack: until it has stopped it may deliver
    print('Everything is stopped.');
  }
}

/** The port after those of the services. @throws CommandError naming it when it is taken. */
async function openReceiver(
  port: number,
  secret: string,
  print: CommandContext['print'],
): Promise<DemoReceiver> {
  try {
    return await startDemoReceiver({ port, secret, print });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new CommandError(
      `Port ${port} is taken, which the receiver of the demo webhook needs. Stop what listens there, or choose other ports with PORT_BASE.`,
    );
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
