// Messages at an even pace, and how long their deliveries took to arrive.
import { setTimeout as sleep } from 'node:timers/promises';
import { messageBatch } from './event-batches.ts';
import type { Receiver } from './receiver.ts';
import { call } from './voice-stack.ts';

/** A request this often: a fifth of what the intake allows an organisation. */
const REQUEST_EVERY_MS = 50;
/** Deliveries that are not there so long after the last message are missing. */
const ARRIVE_WITHIN_MS = 20_000;

export interface Sender {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Deliveries that each message makes and that will arrive. */
  readonly deliveriesPerMessage: number;
}

export interface Steady {
  readonly deliveriesPerSecond: number;
  /** Milliseconds from the sending of the request, so with the intake and its commit. */
  readonly fromSending: readonly number[];
  /**
   * Milliseconds from the answer of the intake, which comes right after its commit; 0 where the
   * delivery was faster than the answer.
   */
  readonly fromCommit: readonly number[];
}

/** Every organisation of `senders` reports messages for `seconds`. */
export async function steadyLoad(options: {
  readonly name: string;
  readonly senders: readonly Sender[];
  readonly messagesPerSecond: number;
  readonly seconds: number;
  readonly receiver: Receiver;
}): Promise<Steady> {
  const { name, senders, messagesPerSecond, seconds, receiver } = options;
  receiver.reset();
  const startedAt = performance.now();
  const answers: Promise<unknown>[] = [];
  const answeredAt = new Map<number, number>();
  let failed: unknown;
  let sent = 0;
  for (let request = 0; performance.now() - startedAt < seconds * 1000; request += 1) {
    const due = Math.round(((request + 1) * REQUEST_EVERY_MS * messagesPerSecond) / 1000) - sent;
    sent += due;
    for (const [index, { baseUrl, apiKey }] of due > 0 ? senders.entries() : []) {
      const sentAtMs = Number((performance.timeOrigin + performance.now()).toFixed(3)); // as the batch tells it
      const body = messageBatch(`${name}-${index}-${request}`, due, sentAtMs);
      const answer = call('POST', `${baseUrl}/conversations/events`, apiKey, body).then(() =>
        answeredAt.set(sentAtMs, performance.timeOrigin + performance.now()),
      );
      answers.push(answer.catch((error: unknown) => (failed ??= error)));
    }
    await sleep(Math.max(0, startedAt + (request + 1) * REQUEST_EVERY_MS - performance.now()));
  }
  await Promise.all(answers);
  if (failed !== undefined) throw failed as Error;
  const tookSeconds = (performance.now() - startedAt) / 1000;
  const expected = senders.reduce((sum, { deliveriesPerMessage }) => sum + sent * deliveriesPerMessage, 0);
  const deadline = performance.now() + ARRIVE_WITHIN_MS;
  for (;;) {
    const received = await receiver.soFar();
    if (received.received >= expected) {
      return {
        deliveriesPerSecond: expected / tookSeconds,
        fromSending: received.arrivals.map(([sentAtMs, atMs]) => atMs - sentAtMs),
        fromCommit: received.arrivals.map(([sentAtMs, atMs]) =>
          Math.max(0, atMs - answeredAt.get(sentAtMs)!),
        ),
      };
    }
    if (performance.now() > deadline)
      throw new Error(`${received.received} of ${expected} deliveries arrived`);
    await sleep(50);
  }
}
