// Attacker and other tenant run in child processes, so that neither waits for the other or for the
// siege.
import { fork, type Serializable } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The siege's side. */
export interface ChildHandle<Command, Done> {
  /** Runs one command at a time. @throws Error of the child, or when the child exits */
  call(command: Command, signal?: AbortSignal): Promise<Done>;
  close(): Promise<void>;
}

type ToChild<Command> = { readonly command: Command } | { readonly helped: string | null };
type FromChild<Done> = { readonly done: Done } | { readonly failed: string } | { readonly needsHelp: true };

/** @param help called when the child asks for it */
export function startChild<Command extends Serializable, Done>(
  program: string,
  help: () => Promise<void> = () => Promise.reject(new Error('no help is to be had')),
): ChildHandle<Command, Done> {
  const child = fork(fileURLToPath(new URL(`./${program}.ts`, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    detached: true, // Linux shares the processor among sessions; the child exits when its channel closes
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the ${program} has ended`);
  });
  ended.catch(() => undefined); // the siege closes it
  const send = (message: ToChild<Command>) => void child.send(message);
  const answers = new EventEmitter();
  child.on('message', (message: FromChild<Done>) => {
    if (!('needsHelp' in message)) return void answers.emit('answer', message);
    help().then(
      () => send({ helped: null }),
      (error: unknown) => send({ helped: String(error) }),
    );
  });
  return {
    call: async (command, signal) => {
      send({ command });
      const [message] = (await Promise.race([once(answers, 'answer', { signal }), ended])) as [
        FromChild<Done>,
      ];
      if ('failed' in message) throw new Error(`${program}: ${message.failed}`);
      return (message as { readonly done: Done }).done;
    },
    close: async () => {
      child.kill();
      await ended.catch(() => undefined);
    },
  };
}

/** The child's side. Returns a function that asks the siege for help. */
export function serveCommands<Command, Done>(
  handle: (command: Command) => Promise<Done>,
): () => Promise<void> {
  const send = (message: FromChild<Done>) => void process.send?.(message);
  const help = new EventEmitter();
  process.on('message', (message: ToChild<Command>) => {
    if (!('command' in message)) return void help.emit('done', message.helped);
    handle(message.command).then(
      (done) => send({ done }),
      (error: unknown) => send({ failed: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  return async () => {
    send({ needsHelp: true });
    const [failed] = (await once(help, 'done')) as [string | null];
    if (failed !== null) throw new Error(failed);
  };
}
