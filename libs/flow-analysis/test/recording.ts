// Helpers of the replay tests: conversations with a flow, recorded as a service records them.
import { readdirSync, readFileSync } from 'node:fs';
import {
  compileFlow,
  parseFlow,
  walkTurn,
  type CallerAnswer,
  type CompiledFlow,
  type TurnInput,
} from '@parley/flow-engine';
import { drive, nodeAsked, type WalkQuestion } from '../src/explain/drive.ts';
import { recordOutcome, type RecordedAnswer } from '../src/explain/recorded-answer.ts';
import { recordTurn, type RecordedTurn } from '../src/explain/recorded-turn.ts';
import type { AgentOutcome, Step, TurnResult } from '@parley/flow-engine/walk/turn';
import { turnOf } from '@parley/flow-engine/testing';

export function flowFrom(definition: unknown): CompiledFlow {
  const parsed = parseFlow(definition);
  if (!parsed.ok) throw new Error(`not a flow: ${JSON.stringify(parsed.problems)}`);
  return compileFlow(parsed.flow);
}

export const versionOf = { flowId: 'recorded', version: 1 };

/** Walks a turn and records it in its JSON form. Null when it is refused. */
export function recordPlayed(
  flow: CompiledFlow,
  input: Partial<TurnInput>,
  answerOf: (asked: WalkQuestion, number: number) => unknown,
): { readonly recorded: RecordedTurn; readonly result: TurnResult } | null {
  const turn = turnOf(input);
  const answers: RecordedAnswer[] = [];
  const outcome = drive(walkTurn(flow, turn), (asked) => {
    const answer = answerOf(asked, answers.length);
    const kept = asked.kind === 'run_agent' ? recordOutcome(answer as AgentOutcome) : answer;
    const usage = { calls: 1, tokens_in: 120, tokens_out: 9, cost: 0.0003 };
    const recorded = { kind: asked.kind, node_id: nodeAsked(asked), answer: kept, ms: 7, usage };
    answers.push(recorded as RecordedAnswer);
    return (asked.resume as (given: unknown) => Step)(answer);
  });
  if (outcome.kind !== 'turn') return null;
  const recorded = recordTurn(versionOf, flow.model, turn, answers, outcome);
  return { recorded: JSON.parse(JSON.stringify(recorded)) as RecordedTurn, result: outcome };
}

/** The JSON files of a folder and its subfolders. */
export function jsonFiles<T>(folder: URL): [string, T][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T]);
}

/** A test that is stored with a flow, as far as it is played here. */
export interface ScriptedTest {
  readonly turns: readonly {
    readonly user_input?: string | null;
    readonly tool_result?:
      { readonly result: unknown } | { readonly error: { readonly code: string; readonly message: string } };
    readonly handoff_result?: { readonly status: 'failed' | 'returned'; readonly reason?: string };
    readonly classifier?: number | 'none';
    readonly extraction?: Readonly<Record<string, unknown>>;
  }[];
  readonly current_node?: string | null;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly now?: number;
}

export interface ExampleFlow {
  readonly definition: unknown;
  readonly tests: Readonly<Record<string, ScriptedTest>>;
}

export const exampleFlows = (): [string, ExampleFlow][] =>
  jsonFiles<ExampleFlow>(new URL('../../../apps/flow-builder/examples/', import.meta.url));

type ScriptedTurn = ScriptedTest['turns'][number];

/** As the service passes it to the engine. */
function answerOf({ tool_result, handoff_result }: ScriptedTurn): CallerAnswer | null {
  if (handoff_result !== undefined)
    return { kind: 'handoff_result', status: handoff_result.status, reason: handoff_result.reason ?? null };
  if (tool_result === undefined) return null;
  const outcome =
    'error' in tool_result
      ? ({ status: 'error', ...tool_result.error } as const)
      : ({ status: 'ok', result: tool_result.result } as const);
  return { kind: 'tool_result', callId: null, outcome };
}

/** A stored test, played and recorded. */
export function recordTest(
  flow: CompiledFlow,
  { turns, current_node, variables, now }: ScriptedTest,
): RecordedTurn[] {
  const recordings: RecordedTurn[] = [];
  let standing = { currentNode: current_node ?? null, variables: variables ?? {} };
  for (const turn of turns) {
    const { user_input, classifier, extraction } = turn;
    const played = recordPlayed(
      flow,
      {
        ...standing,
        userInput: user_input ?? null,
        answer: answerOf(turn),
        extractorAvailable: extraction !== undefined,
        ...(now === undefined ? {} : { nowMs: now * 1000 }),
      },
      ({ kind }) =>
        kind === 'extract'
          ? { kind: 'extracted', values: extraction }
          : typeof classifier === 'number'
            ? { kind: 'chosen', index: classifier, confidence: 1 }
            : { kind: 'none' },
    );
    if (played === null) break;
    recordings.push(played.recorded);
    standing = { currentNode: played.result.nextNode, variables: played.result.variables };
  }
  return recordings;
}
