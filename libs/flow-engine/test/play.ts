// Helpers of these tests: a flow from its nodes and edges, and a turn with its questions answered.
import { compileFlow } from '../src/compile/compile.ts';
import type { CompiledFlow } from '../src/compile/compiled.ts';
import type { FlowModel } from '../src/define/model.ts';
import { parseFlow } from '../src/define/parse.ts';
import type {
  AgentOutcome,
  Classification,
  Extraction,
  Step,
  TurnInput,
  TurnOutcome,
  TurnResult,
} from '../src/walk/turn.ts';
import { walkTurn } from '../src/walk/walk.ts';

type Members = Readonly<Record<string, unknown>>;

/** Friday, 20 November 2026, 12:00 UTC. */
export const noonMs = Date.parse('2026-11-20T12:00:00Z');

export function modelOf(
  nodes: readonly unknown[],
  edges: readonly unknown[] = [],
  more: Members = {},
): FlowModel {
  const parsed = parseFlow({ nodes, edges, ...more });
  if (!parsed.ok) throw new Error(`not a flow: ${JSON.stringify(parsed.problems)}`);
  return parsed.flow;
}

export function flowOf(
  nodes: readonly unknown[],
  edges: readonly unknown[] = [],
  more: Members = {},
): CompiledFlow {
  return compileFlow(modelOf(nodes, edges, more));
}

export function turnOf(input: Partial<TurnInput> = {}): TurnInput {
  return {
    currentNode: null,
    userInput: null,
    variables: {},
    nowMs: noonMs,
    agentMode: 'out_of_band',
    extractorAvailable: false,
    ...input,
  };
}

/** Answers to the questions of a turn, each list in the order of asking. */
export interface Answers {
  readonly classify?: readonly Classification[];
  readonly extract?: readonly Extraction[];
  readonly runAgent?: readonly AgentOutcome[];
}

/** Walks a turn to its end. A question without an answer left is an error of the test. */
export function play(flow: CompiledFlow, input: Partial<TurnInput> = {}, answers: Answers = {}): TurnOutcome {
  const left = {
    classify: [...(answers.classify ?? [])],
    extract: [...(answers.extract ?? [])],
    run_agent: [...(answers.runAgent ?? [])],
  };
  let step: Step = walkTurn(flow, turnOf(input));
  for (;;) {
    if (step.kind === 'done') return step.result;
    const resume: (answer: never) => Step = step.resume;
    const answer: unknown = left[step.kind].shift();
    if (answer === undefined) throw new Error(`no answer left for a ${step.kind} question`);
    step = resume(answer as never);
  }
}

/** The same for a turn that must have a result. */
export function playTurn(
  flow: CompiledFlow,
  input: Partial<TurnInput> = {},
  answers: Answers = {},
): TurnResult {
  const result = play(flow, input, answers);
  if (result.kind !== 'turn') throw new Error(`refused: ${JSON.stringify(result)}`);
  return result;
}

export const texts = (result: TurnResult): string[] => result.outputs.map((output) => output.text);
