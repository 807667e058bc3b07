// Plays a stored test (docs/flow-language.md#stored-tests): scripted answers instead of a model, no
// calls, and each outcome compared with what the test expects.
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import type { TurnOutcome } from '@parley/flow-engine/walk/turn';
import { turnResultToWire } from '@parley/flow-engine/walk/wire';
import type { Script } from './coverage.ts';
import type { WalkQuestion } from './drive.ts';
import { playScripted, type StepLimits, type ScriptTurn } from './script.ts';

export interface ConversationTest extends Script {
  readonly turns: readonly (ScriptTurn & { readonly expect: ExpectedTurn })[];
}

/** Absent members are not compared. */
interface ExpectedTurn {
  readonly messages?: readonly string[] | undefined;
  readonly next_node?: string | null | undefined;
  readonly status?: string | undefined;
  readonly variables?: object | undefined;
  readonly actions?: readonly object[] | undefined;
}

/** Where a turn differs from what the test expects. `path` is a JSON pointer into `turns`. */
export interface TestFailure {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/**
 * The first turn that differs ends the test: the turns after it belong to another conversation.
 * Null after the deadline.
 * @param nowMs the clock of a test without a time
 */
export function playTest(
  flow: CompiledFlow,
  { turns, current_node, variables, now }: ConversationTest,
  nowMs: number,
  bounds: StepLimits = {},
  isLate: () => boolean = () => false,
): TestFailure[] | null {
  const playing = { ...bounds, nowMs: now === undefined ? nowMs : now * 1000 };
  let standing = { currentNode: current_node ?? null, variables: variables ?? {} };
  for (const [index, turn] of turns.entries()) {
    if (isLate()) return null;
    const outcome = playScripted(flow, turn, standing, playing);
    const failures = differences(`/turns/${index}`, turn.expect, outcome);
    if (failures.length > 0 || outcome.kind !== 'turn') return failures;
    standing = { currentNode: outcome.nextNode, variables: outcome.variables };
  }
  return [];
}

function differences(path: string, expect: ExpectedTurn, outcome: TurnOutcome | WalkQuestion): TestFailure[] {
  if (outcome.kind !== 'turn') return [{ path, expected: 'a turn', actual: outcome.kind }];
  const wire = turnResultToWire(outcome);
  const actual: Readonly<Record<string, unknown>> = {
    messages: wire.outputs.map(({ text }) => text),
    next_node: wire.next_node,
    status: wire.status,
    variables: wire.variables,
    actions: wire.actions,
  };
  return Object.entries(expect)
    .filter(([member, expected]) => expected !== undefined && !includes(actual[member], expected))
    .map(([member, expected]) => ({
      path: `${path}/expect/${member}`,
      expected: expected as unknown,
      actual: actual[member],
    }));
}

/**
 * Compares objects member by member, as far as the test names members; lists and everything else as
 * a whole.
 */
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
