// What every part of the demo's story works with.
import { eventually } from '@parley/testing';
import { bodyOf, type callService } from '../call-service.ts';
import type { Services } from '../with-stack.ts';

export interface Story {
  readonly services: Services;
  /** Where the development stack captures mail. */
  readonly mailDir: string;
  /** Tells one run from another: the names of everything it makes end with it. */
  readonly storyId: string;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/**
 * A conversation is completed five seconds after its end
 * (docs/voice-api.md#settling-and-the-reaper); what comes by queue waits for nothing else.
 */
const SEEN_TIMEOUT_MS = 120_000;

/** Waits for what must be seen, and says so. @throws Error when it is not seen in time. */
export async function seen(
  { signal, print }: Story,
  what: string,
  look: () => Promise<boolean>,
): Promise<void> {
  await eventually(
    () => {
      signal.throwIfAborted();
      return look();
    },
    { timeoutMs: SEEN_TIMEOUT_MS },
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(`Not seen within ${SEEN_TIMEOUT_MS / 1000} s: ${what}`, { cause: error });
  });
  print(`  ✓ ${what}`);
}

/** The data of an answer in the voice API's envelope. */
export async function dataOf<T>(answer: ReturnType<typeof callService>, status: number): Promise<T> {
  return bodyOf<{ data: T }>(await answer, status).data;
}
