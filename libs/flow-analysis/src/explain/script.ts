// A scripted turn: the caller's input and the models' answers, as stored and generated tests have
// them (docs/why.md#generated-tests).
import type { CompiledFlow } from '@parley/flow-engine/compile/compiled';
import { readCallerAnswer, type WireAnswers } from '@parley/flow-engine/define/waits';
import type { Bag } from '@parley/flow-engine/read/paths';
import type { TurnInput, TurnOutcome } from '@parley/flow-engine/walk/turn';
import { walkTurn } from '@parley/flow-engine/walk/walk';
import { drive, type AnswerSource, type WalkQuestion } from './drive.ts';

export type ScriptedChoice = number | 'none';

export interface ScriptTurn extends WireAnswers {
  readonly user_input?: string | null | undefined;
  /** One answer to every question of the turn, or a list in the order of asking. */
  readonly classifier?: ScriptedChoice | readonly ScriptedChoice[] | undefined;
  /** Without it there is no extractor. */
  readonly extraction?: Bag | undefined;
}

/** The state that a turn starts from. */
export interface Standing {
  readonly currentNode: string | null;
  readonly variables: Bag;
}

/** How many steps a turn may take. */
export type StepLimits = Pick<TurnInput, 'stepsMax' | 'stepsProvedMax'>;
export type Playing = StepLimits & Pick<TurnInput, 'nowMs'>;

export function scriptedInput(turn: ScriptTurn, standing: Standing, playing: Playing): TurnInput {
  return {
    currentNode: standing.currentNode,
    variables: standing.variables,
    userInput: turn.user_input ?? null,
    answer: readCallerAnswer(turn),
    agentMode: 'out_of_band',
    extractorAvailable: turn.extraction !== undefined,
    ...playing,
  };
}

/** Calls nothing. A question that scripts cannot answer stays open. */
export function playScripted(
  flow: CompiledFlow,
  turn: ScriptTurn,
  standing: Standing,
  playing: Playing,
): TurnOutcome | WalkQuestion {
  return drive(walkTurn(flow, scriptedInput(turn, standing, playing)), scripted(turn));
}

function scripted({ classifier = 'none', extraction = {} }: ScriptTurn): AnswerSource {
  let asked = 0;
  return (question) => {
    if (question.kind === 'extract') return question.resume({ kind: 'extracted', values: extraction });
    if (question.kind !== 'classify') return null;
    const choice = typeof classifier === 'object' ? (classifier[asked++] ?? 'none') : classifier;
    return question.resume(
      choice === 'none' ? { kind: 'none' } : { kind: 'chosen', index: choice, confidence: 1 },
    );
  };
}
