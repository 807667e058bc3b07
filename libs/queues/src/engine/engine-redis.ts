// BullMQ on Redis.
//
// Two connections a process, plus one a worker that BullMQ duplicates to block on:
// - producers fail fast: no offline queue, a short time-out, nothing is sent again after a lost connection;
// - workers are patient: they wait for Redis as long as it takes and take up their work again.
import { within } from '@parley/runtime';
import { Queue, Worker } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { connectRedis, keyPrefixOf, parseRedisUrl } from './connect-redis.ts';
import {
  COMMAND_TIMEOUT_MS,
  EVENTS_KEPT,
  FIRST_ANSWER_MS,
  RECONNECT_AFTER_MS,
  STALLS_MAX,
  watchWorker,
  withinBytes,
  type Engine,
  type EngineOptions,
} from './engine.ts';
import { firstAnswer } from '../timing.ts';

/** How long a worker's block may last; also how soon it notices a job whose marker was lost with the server's memory. */
const BLOCK_SECONDS = 5;
/** A socket that owes an answer and is silent for so long is dead (must exceed the longest block, 10 s in BullMQ). */
const SILENCE_MAX_MS = 20_000;

export function openRedisEngine({ url, prefix, log }: EngineOptions): Engine {
  const retryStrategy = (times: number) => Math.min(times * 100, RECONNECT_AFTER_MS);
  const { kind } = parseRedisUrl(url.reveal());
  const producer = connectRedis(url.reveal(), {
    enableOfflineQueue: false,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // Commands that timed out stay in the socket's buffer: a frozen server must not fill the memory.
    socketTimeout: 2 * COMMAND_TIMEOUT_MS,
    connectTimeout: 5 * COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy,
  });
  const answered = firstAnswer();
  let lastState = '';
  const becomes = (state: 'ready' | 'away', error?: Error) => {
    answered.now();
    if (state === lastState) return;
    lastState = state;
    if (state === 'ready') log.info({ engine: 'redis' }, 'queue.engine_ready');
    else log.warn({ engine: 'redis', err: error }, 'queue.engine_away');
  };
  producer.on('ready', () => becomes('ready'));
  producer.on('error', (error: Error) => becomes('away', error));
  producer.on('close', () => {
    if (!closed) becomes('away');
  });

  const queues = new Map<string, Queue>();
  let patient: Redis | Cluster | undefined;
  let closed = false;

  /** One for all workers: it carries their short commands; each blocks on a connection of its own. */
  function patientConnection(): Redis | Cluster {
    if (!patient) {
      patient = connectRedis(url.reveal(), {
        maxRetriesPerRequest: null,
        socketTimeout: SILENCE_MAX_MS,
        retryStrategy,
      });
      patient.on('error', () => undefined); // the producer's connection tells the log
    }
    return patient;
  }

  async function isReady(): Promise<boolean> {
    if (closed) return false;
    if (producer.status !== 'ready') await within(answered.promise, FIRST_ANSWER_MS).catch(() => undefined);
    return producer.status === 'ready';
  }

  return {
    kind: 'redis',
    ready: async () => {
      if (!(await isReady())) return false;
      return producer.ping().then(
        () => true,
        () => false,
      );
    },
    queue: async (name) => {
      if (!(await isReady())) return undefined;
      let queue = queues.get(name);
      if (!queue) {
        queue = new Queue(name, {
          connection: producer,
          prefix: keyPrefixOf(kind, prefix, name),
          // The check asks INFO once and keeps a failure for ever; workers do it on their patient connection.
          skipVersionCheck: true,
          streams: { events: { maxLen: EVENTS_KEPT } },
        });
        queue.on('error', () => undefined); // every command reports its own failure to its caller
        queues.set(name, queue);
      }
      return queue;
    },
    work: (name, processor, { concurrency, leaseMs }) => {
      const worker: Worker = new Worker(
        name,
        withinBytes(processor, concurrency, () => worker),
        {
          connection: patientConnection(),
          prefix: keyPrefixOf(kind, prefix, name),
          concurrency,
          lockDuration: leaseMs,
          stalledInterval: leaseMs / 2,
          maxStalledCount: STALLS_MAX,
          drainDelay: BLOCK_SECONDS,
          runRetryDelay: RECONNECT_AFTER_MS,
        },
      );
      watchWorker(worker, log);
      return { close: () => worker.close(producer.status !== 'ready') };
    },
    close: async () => {
      closed = true;
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      patient?.disconnect();
      producer.disconnect();
    },
  };
}
