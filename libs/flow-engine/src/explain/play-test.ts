// Plays a test against a flow: scripted answers instead of a model, nothing called, nothing stored.
import type { CompiledFlow } from '../compile/compiled.ts';
import type { Bag } from '../read/paths.ts';
import { turnResultToWire } from '../walk/wire.ts';
import { playScripted, type Playing, type ScriptTurn } from './script.ts';

export interface TestTurn extends ScriptTurn {
  /** What the turn must come to, member by member; what is not named may be anything. */
  readonly expect: Readonly<Record<string, unknown>>;
}

/** A conversation, and what it must come to. */
export interface PlayedTest {
  readonly turns: readonly TestTurn[];
  readonly current_node?: string | null | undefined;
  readonly variables?: Bag | undefined;
  /** Epoch seconds. */
  readonly now?: number | undefined;
}

/** Where a turn was not what the test expects. `path` is a JSON pointer into the test. */
export interface Failure {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The first turn that differs ends the test: what follows it was written for another conversation. Null when it got too late. */
export function playTest(
  flow: CompiledFlow,
  test: PlayedTest,
  playing: Playing,
  isLate: () => boolean = () => false,
): Failure[] | null {
  let currentNode: string | null = test.current_node ?? null;
  let variables: Bag = test.variables ?? {};
  const nowMs = test.now === undefined ? playing.nowMs : test.now * 1000;
  for (const [index, turn] of test.turns.entries()) {
    if (isLate()) return null;
    const outcome = playScripted(flow, turn, { currentNode, variables }, { ...playing, nowMs });
    const failures = differences(`/turns/${index}`, turn, outcome);
    if (failures.length > 0 || outcome.kind !== 'turn') return failures;
    currentNode = outcome.nextNode;
    variables = outcome.variables;
  }
  return [];
}

function differences(
  path: string,
  { expect }: TestTurn,
  outcome: ReturnType<typeof playScripted>,
): Failure[] {
  if (outcome.kind !== 'turn') return [{ path, expected: 'a turn', actual: outcome.kind }];
  const wire = turnResultToWire(outcome);
  const actual: Record<string, unknown> = {
    messages: wire.outputs.map((output) => output.text),
    next_node: wire.next_node,
    status: wire.status,
    variables: wire.variables,
    actions: wire.actions,
  };
  return Object.entries(expect)
    .filter(([member, expected]) => expected !== undefined && !includes(actual[member], expected))
    .map(([member, expected]) => ({ path: `${path}/expect/${member}`, expected, actual: actual[member] }));
}

/** Objects are compared member by member, as far as the test names members; lists and everything else as a whole. */
function includes(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => includes(actual[index], item))
    );
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
    return Object.entries(expected).every(
      ([name, value]) =>
        Object.hasOwn(actual, name) && includes((actual as Record<string, unknown>)[name], value),
    );
  }
  return Object.is(actual, expected);
}
