// A variant that works in a process of its own: gets a message, and answers with its window.
import { cpuTimer } from './cpu-time.ts';
import type { Variant, Window } from './harness.ts';
import type { PinnedProcess } from './pinned-process.ts';

type Reply = (Omit<Window, 'cpuSeconds'> & Partial<Window>) | { readonly error: string };

/**
 * `toMessage` makes the request for a window of so many seconds. The CPU time is that of the
 * process, unless it names its own.
 */
export function inChild(
  name: string,
  { child, pid }: PinnedProcess,
  toMessage: (seconds: number) => object,
): Variant {
  return {
    name,
    run: async (seconds) => {
      const cpu = cpuTimer([pid]);
      child.send(toMessage(seconds));
      const reply = await new Promise<Reply>((resolve, reject) => {
        const gone = (): void => reject(new Error(`${name}: its process ended`));
        child.once('exit', gone);
        child.once('message', (message) => {
          child.off('exit', gone);
          resolve(message as Reply);
        });
      });
      if ('error' in reply) throw new Error(`${name}: ${reply.error}`);
      return { ...reply, cpuSeconds: reply.cpuSeconds ?? cpu() };
    },
  };
}
