// BullMQ on Redis.
//
// Each process has two connections, plus one for each worker, which BullMQ duplicates to block on:
// - producers fail fast: no offline queue, a short timeout, nothing is re-sent after a lost
// connection;
// - workers wait for Redis as long as it takes, then resume. Each limit here counts towards the 15
// s
//   in which every queue is consumed again (docs/platform.md#workers-that-work).
import { within, firstAnswer } from '@parley/server/runtime';
import { Queue } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { connectRedis, buildKeyPrefix, parseRedisUrl } from '@parley/server/redis';
import {
  BLOCK_SECONDS,
  COMMAND_TIMEOUT_MS,
  EVENT_STREAM_LENGTH_MAX,
  FIRST_ANSWER_MS,
  RECONNECT_AFTER_MS,
  STALLS_MAX,
  WatchedWorker,
  watchWorker,
  withinBytes,
  type Engine,
  type EngineOptions,
} from './engine.ts';

/** A socket that owes an answer and is silent for this long is dead. Must exceed BLOCK_SECONDS. */
const SILENCE_MAX_MS = 6_000;
/** Includes TLS. */
const CONNECT_TIMEOUT_MS = 3_000;

export function openRedisEngine({ url, prefix, log }: EngineOptions): Engine {
  const common = {
    retryStrategy: (times: number) => Math.min(times * 100, RECONNECT_AFTER_MS),
    maxLoadingRetryTime: RECONNECT_AFTER_MS, // default: up to 10 s, estimated by the server
    connectTimeout: CONNECT_TIMEOUT_MS,
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    // The server became a replica without closing connections. Its name may now lead to the new
    // master.
    reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
  };
  const { kind } = parseRedisUrl(url.reveal());
  const producer = connectRedis(url.reveal(), {
    ...common,
    enableOfflineQueue: false,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // Commands that timed out stay in the socket's buffer. A frozen server must not fill the
    // memory.
    socketTimeout: 2 * COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
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

  function connectPatiently(): Redis | Cluster {
    const connection = connectRedis(url.reveal(), {
      ...common,
      maxRetriesPerRequest: null,
      socketTimeout: SILENCE_MAX_MS,
    });
    connection.on('error', () => undefined); // the producer's connection logs it
    return connection;
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
          prefix: buildKeyPrefix(kind, prefix, name),
          // The check asks INFO once and caches a failure forever. Workers check on their patient
          // connection.
          skipVersionCheck: true,
          streams: { events: { maxLen: EVENT_STREAM_LENGTH_MAX } },
        });
        queue.on('error', () => undefined); // each command reports its failure to its caller
        queues.set(name, queue);
      }
      return queue;
    },
    work: (name, processor, { concurrency, leaseMs, isReplacement }) => {
      // All workers share it for short commands. Each worker blocks on its own connection.
      const connection = isReplacement ? connectPatiently() : (patient ??= connectPatiently());
      const disconnect = () => void (isReplacement && connection.disconnect());
      const worker: WatchedWorker = new WatchedWorker(
        name,
        withinBytes(processor, concurrency, () => worker),
        {
          connection,
          prefix: buildKeyPrefix(kind, prefix, name),
          concurrency,
          lockDuration: leaseMs,
          stalledInterval: leaseMs / 2,
          maxStalledCount: STALLS_MAX,
          drainDelay: BLOCK_SECONDS,
          runRetryDelay: RECONNECT_AFTER_MS,
        },
      );
      watchWorker(worker, log);
      return {
        fetchedAtMs: () => worker.fetchedAtMs,
        close: () => worker.close(producer.status !== 'ready').finally(disconnect),
        abandon: () => {
          void worker.close(true).catch(() => undefined);
          // an orderly close may already wait forever
          void worker.backend.close(true).catch(() => undefined);
          disconnect();
        },
      };
    },
    close: async () => {
      closed = true;
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      patient?.disconnect();
      producer.disconnect();
    },
  };
}
