// Plays a stored test against a compiled version: scripted answers instead of a model, nothing called, nothing stored.
import {
  callerAnswer,
  turnResultToWire,
  walkTurn,
  type CompiledFlow,
  type TurnOutcome,
} from '@parley/flow-engine';
import { driveTurn, type Answers } from './drive-turn.ts';
import type { ConversationTest, ConversationTurn } from '../flows/schemas.ts';

/** Where a turn was not what the test expects. `path` is a JSON pointer into `turns`. */
export interface Failure {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

export interface Playing {
  readonly nowMs: number;
  readonly stepsMax: number;
  readonly stepsProvedMax: number | null;
}

/** The first turn that differs ends the test: what follows it was written for another conversation. Null when it got too late. */
export async function playConversation(
  flow: CompiledFlow,
  test: ConversationTest,
  playing: Playing,
  isLate: () => boolean = () => false,
): Promise<Failure[] | null> {
  let currentNode: string | null = test.current_node ?? null;
  let variables: Readonly<Record<string, unknown>> = test.variables ?? {};
  for (const [index, turn] of test.turns.entries()) {
    if (isLate()) return null;
    const first = walkTurn(flow, {
      currentNode,
      userInput: turn.user_input ?? null,
      answer: callerAnswer(turn),
      variables,
      nowMs: test.now === undefined ? playing.nowMs : test.now * 1000,
      agentMode: 'out_of_band',
      extractorAvailable: turn.extraction !== undefined,
      stepsMax: playing.stepsMax,
      stepsProvedMax: playing.stepsProvedMax,
    });
    const outcome = await driveTurn(first, scripted(turn));
    const failures = differences(`/turns/${index}`, turn, outcome);
    if (failures.length > 0 || outcome.kind !== 'turn') return failures;
    currentNode = outcome.nextNode;
    variables = outcome.variables;
  }
  return [];
}

function scripted(turn: ConversationTurn): Answers {
  const { classifier = 'none', extraction = {} } = turn;
  const inTurn = Array.isArray(classifier) ? [...classifier] : null;
  return {
    classify: async () => {
      const choice = inTurn === null ? (classifier as number | 'none') : (inTurn.shift() ?? 'none');
      return choice === 'none' ? { kind: 'none' } : { kind: 'chosen', index: choice, confidence: 1 };
    },
    extract: async () => ({ kind: 'extracted', values: extraction }),
    runAgent: async () => ({ status: 'error', answer: null, iterations: 0, toolCalls: [] }),
  };
}

function differences(path: string, { expect }: ConversationTurn, outcome: TurnOutcome): Failure[] {
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
