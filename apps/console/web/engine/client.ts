// The page's side of the engine.
import { wrap } from 'comlink';
import type { Checked } from './check.ts';
import type { PlayedTurn, Script } from './converse.ts';
import type { Engine } from './engine.ts';
import { latestOf } from './latest.ts';

/** The engine from afar: the same calls, answered later. */
export type FarEngine = {
  readonly [Call in keyof Engine]: (
    ...given: Parameters<Engine[Call]>
  ) => Promise<ReturnType<Engine[Call]>> | ReturnType<Engine[Call]>;
};

export interface EngineClient {
  /** null: a newer definition took its place. */
  check(definition: unknown): Promise<Checked | null>;
  read(definition: unknown): Promise<Checked>;
  /** With the definition that was checked last. Outer null: a newer script took its place. */
  converse(script: Script): Promise<{ readonly turns: readonly PlayedTurn[] | null } | null>;
  longest(): Promise<readonly string[]>;
  diff: (...given: Parameters<Engine['diff']>) => Promise<ReturnType<Engine['diff']>>;
  replay: (...given: Parameters<Engine['replay']>) => Promise<ReturnType<Engine['replay']>>;
}

export function engineClient(far: FarEngine): EngineClient {
  return {
    check: latestOf(async (definition: unknown) => far.check(definition)),
    converse: latestOf(async (script: Script) => ({ turns: await far.converse(script) })),
    read: async (definition) => far.read(definition),
    longest: async () => far.longest(),
    diff: async (before, after) => far.diff(before, after),
    replay: async (asked) => far.replay(asked),
  };
}

function startWorker(): FarEngine {
  const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), {
    type: 'module',
    name: 'flow-engine',
  });
  return wrap<Engine>(worker);
}

let shared: EngineClient | undefined;
/** One engine a page, started when it is first needed: an effect would start two in StrictMode. */
export const sharedEngine = (): EngineClient => (shared ??= engineClient(startWorker()));

/** For tests: there is no worker in jsdom. */
export const shareEngine = (client: EngineClient): void => {
  shared = client;
};
