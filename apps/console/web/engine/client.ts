// The page's side of the engine: one worker that answers while somebody types, and one that may take its time.
import { wrap } from 'comlink';
import type { BehaviouralDiff, Reach, ReachTarget } from '@parley/flow-engine';
import type { Called } from './called.ts';
import type { Checked } from './check.ts';
import type { PlayedTurn, Script } from './converse.ts';
import type { Engine } from './engine.ts';
import type { Explored, Looked, NamedTest } from './explore.ts';
import { latestOf } from './latest.ts';
import { searching, type Running, type Searched } from './searching.ts';

/** The engine from afar: the same calls, answered later. */
export type FarEngine = {
  readonly [Call in keyof Engine]: (
    ...given: Parameters<Engine[Call]>
  ) => Promise<ReturnType<Engine[Call]>> | ReturnType<Engine[Call]>;
};

/** What a flow calls is known already. */
type ToExplore = Pick<Looked, 'definition'> & {
  readonly tests: readonly NamedTest[];
  readonly nowMs: number;
};

export interface EngineClient {
  /** What the flow calls, for everything that is asked from here on; null: it is not known yet. */
  know(called: Called | null): Promise<void>;
  /** null: a newer definition took its place. */
  check(definition: unknown): Promise<Checked | null>;
  read(definition: unknown): Promise<Checked>;
  /** With the definition that was checked last. Outer null: a newer script took its place. */
  converse(script: Script): Promise<{ readonly turns: readonly PlayedTurn[] | null } | null>;
  longest(): Promise<readonly string[]>;
  diff: (...given: Parameters<Engine['diff']>) => Promise<ReturnType<Engine['diff']>>;
  replay: (...given: Parameters<Engine['replay']>) => Promise<ReturnType<Engine['replay']>>;
  /** null: a newer definition took its place. */
  explore(looked: ToExplore): Promise<Searched<Explored> | null>;
  /** A definition, with what it calls, and the one that is looked at. */
  compare(
    before: Looked,
    definition: unknown,
    tests: readonly NamedTest[],
  ): Promise<Searched<BehaviouralDiff>>;
  reach(definition: unknown, target: ReachTarget): Promise<Searched<Reach>>;
}

/** @param start a worker for searches, which is started when it is first needed */
export function engineClient(
  far: FarEngine,
  start: () => Running<FarEngine> = () => ({ far, stop: () => {} }),
): EngineClient {
  const search = searching(start);
  let known: Called | null = null;
  return {
    know: async (called) => {
      known = called;
      await far.know(called);
    },
    check: latestOf(async (definition: unknown) => far.check(definition)),
    converse: latestOf(async (script: Script) => ({ turns: await far.converse(script) })),
    read: async (definition) => far.read(definition),
    longest: async () => far.longest(),
    diff: async (before, after) => far.diff(before, after),
    replay: async (asked) => far.replay(asked),
    explore: latestOf((looked: ToExplore) =>
      search(async (other) => other.explore({ ...looked, called: known })),
    ),
    compare: (before, definition, tests) =>
      search(async (other) => other.compare(before, { definition, called: known }, tests, Date.now())),
    reach: (definition, target) =>
      search(async (other) => other.reach({ definition, called: known }, target)),
  };
}

function startWorker(): Running<FarEngine> {
  const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), {
    type: 'module',
    name: 'flow-engine',
  });
  return { far: wrap<Engine>(worker), stop: () => worker.terminate() };
}

let shared: EngineClient | undefined;
/** One engine a page, started when it is first needed: an effect would start two in StrictMode. */
export const sharedEngine = (): EngineClient => (shared ??= engineClient(startWorker().far, startWorker));

/** For tests: there is no worker in jsdom. */
export const shareEngine = (client: EngineClient): void => {
  shared = client;
};
