// Attacker and neighbour are processes of their own, so that neither waits for what the other does, or for the siege.
import { fork, type Serializable } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The side of the siege. */
export interface OtherProcess<Told, Done> {
  /** What comes of it. One thing at a time. @throws Error what the process throws, and when it ends */
  tell(told: Told, signal?: AbortSignal): Promise<Done>;
  close(): Promise<void>;
}

type ToChild<Told> = { readonly told: Told } | { readonly helped: string | null };
type FromChild<Done> = { readonly done: Done } | { readonly failed: string } | { readonly asksForHelp: true };

/** @param help what the process may ask for while it is at it */
export function startOther<Told extends Serializable, Done>(
  program: string,
  help: () => Promise<void> = () => Promise.reject(new Error('no help is to be had')),
): OtherProcess<Told, Done> {
  const child = fork(fileURLToPath(new URL(`./${program}.ts`, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    detached: true, // Linux gives each session its share of the processor; it ends with its channel
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the ${program} has ended`);
  });
  ended.catch(() => undefined); // it is closed
  const send = (message: ToChild<Told>) => void child.send(message);
  const answers = new EventEmitter();
  child.on('message', (said: FromChild<Done>) => {
    if (!('asksForHelp' in said)) return void answers.emit('answer', said);
    help().then(
      () => send({ helped: null }),
      (error: unknown) => send({ helped: String(error) }),
    );
  });
  return {
    tell: async (told, signal) => {
      send({ told });
      const [said] = (await Promise.race([once(answers, 'answer', { signal }), ended])) as [FromChild<Done>];
      if ('failed' in said) throw new Error(`${program}: ${said.failed}`);
      return (said as { readonly done: Done }).done;
    },
    close: async () => {
      child.kill();
      await ended.catch(() => undefined);
    },
  };
}

/** The side of the process. Gives what asks the siege for help. */
export function serveSiege<Told, Done>(hear: (told: Told) => Promise<Done>): () => Promise<void> {
  const send = (message: FromChild<Done>) => void process.send?.(message);
  const help = new EventEmitter();
  process.on('message', (message: ToChild<Told>) => {
    if (!('told' in message)) return void help.emit('done', message.helped);
    hear(message.told).then(
      (done) => send({ done }),
      (error: unknown) => send({ failed: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  return async () => {
    send({ asksForHelp: true });
    const [failed] = (await once(help, 'done')) as [string | null];
    if (failed !== null) throw new Error(failed);
  };
}
