// Starts one bundled service and waits until it can serve.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import {
  LOOPBACK,
  describeExit,
  startProcess,
  SETUP_WITHIN_MS,
  type ProcessLedger,
  type RunningProcess,
} from '@parley/testing/servers';
import type { ServiceName } from '../services.ts';

export interface ServiceOptions {
  readonly name: ServiceName | 'console';
  /**
   * Tells one replica from another in the ledger and among the logs; the service's name unless
   * given.
   */
  readonly as?: string | undefined;
  /** Its `main.mjs`. */
  readonly program: string;
  /** Gets `logs/<as>.log`. */
  readonly home: string;
  readonly port: number;
  /** Everything the service reads; nothing is added but HOST and PORT. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ledger: ProcessLedger;
}

export interface RunningService extends RunningProcess {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
}

/**
 * A service stops within 25 s (docs/platform.md#life-of-a-process); one second later it is killed.
 */
const STOP_TIMEOUT_MS = 26_000;
const READY_INTERVAL_MS = 50;

/**
 * Node's flags of every service: here, in tests, in benches, and in an image (docker/Dockerfile; a
 * test keeps them equal). Most of what a request makes is garbage when it is answered: with more
 * room for it, less is copied before. V8 has one helper and not four: they collect the garbage of
 * heavy threads too, and before any answer. No source maps: Node reads them with the
 * bundle, which takes 70 MB. `NODE_OPTIONS=--enable-source-maps npm start` has them.
 */
export const NODE_FLAGS = ['--max-semi-space-size=64', '--v8-pool-size=1'];

/** Starts the service; it may end again at any time, see `exited`. */
export function startService(options: ServiceOptions): RunningService {
  const { name, as = name, port } = options;
  const running = startProcess({
    name: as,
    command: process.execPath,
    args: [...NODE_FLAGS, options.program],
    env: { ...options.env, HOST: LOOPBACK, PORT: String(port) },
    cwd: options.home,
    logFile: join(options.home, 'logs', `${as}.log`),
    ledger: options.ledger,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  return { ...running, origin: `http://${LOOPBACK}:${port}` };
}

/**
 * Waits for GET /ready to answer 200. Throws with the end of the log when the service ends before,
 * or takes too long.
 */
export async function untilReady(service: RunningService): Promise<void> {
  const deadline = performance.now() + SETUP_WITHIN_MS;
  let last = 'it does not answer';
  for (;;) {
    const exit = service.exit();
    if (exit !== null) throw new Error(`${service.name} ${describeExit(exit)}. ${service.tail()}`);
    try {
      const response = await fetch(`${service.origin}/ready`, { signal: AbortSignal.timeout(5_000) });
      const body = await response.text();
      if (response.status === 200) return;
      last = `it answers ${response.status} ${body}`;
    } catch {
      // Not listening yet; `last` says so.
    }
    if (performance.now() >= deadline) {
      throw new Error(
        `${service.name} is not ready after ${SETUP_WITHIN_MS / 1000} s: ${last}. ${service.tail()}`,
      );
    }
    await sleep(READY_INTERVAL_MS);
  }
}
