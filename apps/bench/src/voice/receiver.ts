// The receiver process of the voice suite, as its parts speak with it.
import { once } from 'node:events';
import { serverFile } from '../http-load.ts';
import { startPinned } from '../pinned-process.ts';

/** Every webhook of the suite signs with it. */
export const WEBHOOK_SECRET = 'the-secret-of-every-webhook-of-the-bench';

export interface Sample {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Received {
  /** Deliveries, each counted once. */
  readonly received: number;
  /** Deliveries that came again: at least once is the promise. */
  readonly repeated: number;
  /** Deliveries with a wrong signature. */
  readonly wrong: number;
  /**
   * When the batch of a delivery was sent, and when it arrived: epoch milliseconds. None of those
   * that were `expect`ed.
   */
  readonly arrivals: readonly (readonly [sentAtMs: number, atMs: number])[];
  readonly samples: readonly Sample[];
  /** When the last one came, epoch milliseconds. */
  readonly lastAtMs: number;
}

export interface Receiver {
  readonly origin: string;
  readonly pid: number;
  /**
   * Counts from zero. Settles when so many different deliveries are there. @throws Error when they
   * are not in time, or wrong
   */
  expect(count: number, withinMs: number, keep?: number): Promise<Received>;
  /** Counts from zero, until `soFar`. */
  reset(): void;
  soFar(): Promise<Received>;
  /** These paths never answer from now on; what waits at others is answered. */
  die(paths: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startReceiver(env: Readonly<Record<string, string | undefined>>): Promise<Receiver> {
  const { child, pid, stop } = startPinned({
    file: serverFile('webhook-receiver'),
    args: [WEBHOOK_SECRET],
    core: 0,
    pin: false,
    env: { PATH: env['PATH'] },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const answer = async (withinMs: number): Promise<Received> => {
    const [received] = (await once(child, 'message', { signal: AbortSignal.timeout(withinMs) })) as [
      Received,
    ];
    if (received.wrong > 0) throw new Error(`${received.wrong} deliveries with a wrong signature`);
    return received;
  };
  const soFar = (): Promise<Received> => {
    child.send({ now: true });
    return answer(5_000);
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    pid,
    stop,
    soFar,
    reset: () => void child.send({}),
    expect: async (count, withinMs, keep = 0) => {
      child.send({ expected: count, keep });
      try {
        return await answer(withinMs);
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
        throw new Error(`${(await soFar()).received} of ${count} deliveries within ${withinMs} ms`);
      }
    },
    die: async (paths) => {
      child.send({ dead: paths });
      await once(child, 'message');
    },
  };
}
