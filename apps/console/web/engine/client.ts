// The client of the engine: one worker for keystrokes, and one for long searches.
import { wrap } from 'comlink';
import type {
  BehaviouralDiff,
  MeasuredNode,
  Reach,
  ReachTarget,
  RecordedTurn,
  UnrecognisedNode,
} from '@parley/flow-analysis';
import type { Called } from './called.ts';
import type { Checked } from './check.ts';
import type { PlayedTurn, Script } from './converse.ts';
import type { Engine } from './engine.ts';
import type { Explored, Looked, NamedTest } from './explore.ts';
import { latestOf } from './latest.ts';
import { searching, type Running, type Searched } from './searching.ts';

/** The engine in a worker: the same calls, asynchronous. */
export type FarEngine = {
  readonly [Call in keyof Engine]: (
    ...given: Parameters<Engine[Call]>
  ) => Promise<ReturnType<Engine[Call]>> | ReturnType<Engine[Call]>;
};

/** Without called flows, which `know` sets. */
type ToExplore = Pick<Looked, 'definition'> & {
  readonly tests: readonly NamedTest[];
  readonly nowMs: number;
};

export interface EngineClient {
  /** Sets the called flows for all later requests; null while loading. */
  know(called: Called | null): Promise<void>;
  /** Null when a newer definition replaced it. */
  check(definition: unknown): Promise<Checked | null>;
  read(definition: unknown): Promise<Checked>;
  /** Uses the last checked definition. Null when a newer script replaced it. */
  converse(script: Script): Promise<{ readonly turns: readonly PlayedTurn[] | null } | null>;
  longest(): Promise<readonly string[]>;
  diff: (...given: Parameters<Engine['diff']>) => Promise<ReturnType<Engine['diff']>>;
  replay: (...given: Parameters<Engine['replay']>) => Promise<ReturnType<Engine['replay']>>;
  /** Null when a newer definition replaced it. */
  explore(looked: ToExplore): Promise<Searched<Explored> | null>;
  /** Compares `before` with a definition that uses the known called flows. */
  compare(
    before: Looked,
    definition: unknown,
    tests: readonly NamedTest[],
  ): Promise<Searched<BehaviouralDiff>>;
  reach(definition: unknown, target: ReachTarget): Promise<Searched<Reach>>;
  /** @param turns that ran on the definition */
  group(definition: unknown, turns: readonly RecordedTurn[]): Promise<Searched<readonly UnrecognisedNode[]>>;
  /** Null when a newer definition replaced it. */
  measure(definition: unknown): Promise<Searched<readonly MeasuredNode[]> | null>;
}

/** @param start starts the search worker when first needed */
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
    group: (definition, turns) => search(async (other) => other.group({ definition, called: known }, turns)),
    measure: latestOf((definition: unknown) =>
      search(async (other) => other.measure({ definition, called: known })),
    ),
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
/** One engine per page, started lazily: an effect would start two in StrictMode. */
export const sharedEngine = (): EngineClient => (shared ??= engineClient(startWorker().far, startWorker));

/** For tests: jsdom has no workers. */
export const shareEngine = (client: EngineClient): void => {
  shared = client;
};
