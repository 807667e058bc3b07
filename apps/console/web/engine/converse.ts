// Plays conversations with the draft. A script holds all input, so that every edit is another
// script, played from the start.
import { readAt, type ExplainedAnswer } from '@parley/flow-analysis';
import {
  limits,
  walkTurn,
  type AgentOutcome,
  type Bag,
  type CallerAnswer,
  type Classification,
  type CompiledFlow,
  type Extraction,
  type Step,
  type TurnOutcome,
} from '@parley/flow-engine';

export interface Script {
  /** Null = the start node of the flow. */
  readonly startNode: string | null;
  readonly variables: Bag;
  /** Current time of the conversation, Unix ms. */
  readonly nowMs: number;
  /** Whether an extractor exists and the person enters its results. */
  readonly extractor: boolean;
  /**
   * Whether agents run in the turn and the person enters their results; otherwise they are
   * dispatched.
   */
  readonly agent: boolean;
  readonly turns: readonly ScriptedTurn[];
}

export interface ScriptedTurn {
  /** Null for the opening turn or silence. */
  readonly input: string | null;
  /** The result for a node that waits. */
  readonly brought?: CallerAnswer | null;
  /** Model results, in the order of the questions. */
  readonly answers: readonly ScriptedAnswer[];
  /** Further model results from a stored test. Absent: the person enters them. */
  readonly otherwise?: Otherwise;
}

type Choice = number | 'none';

export interface Otherwise {
  /** A list has one result per question. */
  readonly classifier: Choice | readonly Choice[];
  /** Null = no extractor. */
  readonly extraction: Bag | null;
}

export type ScriptedAnswer =
  | { readonly kind: 'classify'; readonly answer: Classification }
  | { readonly kind: 'extract'; readonly answer: Extraction }
  | { readonly kind: 'run_agent'; readonly answer: AgentOutcome };

type Asking = Exclude<Step, { kind: 'done' }>;
/** A step without its `resume`, which cannot be posted. */
export type Question = {
  [Kind in Asking['kind']]: Omit<Extract<Asking, { kind: Kind }>, 'resume'>;
}[Asking['kind']];

export interface ScriptQuestion {
  readonly question: Question;
  readonly answer: ScriptedAnswer;
}

export interface PlayedTurn {
  readonly input: string | null;
  readonly brought: CallerAnswer | null;
  /** Null = the start node of the flow. */
  readonly from: string | null;
  readonly variables: Bag;
  readonly asked: readonly ScriptQuestion[];
  /** How the first question of the turn read the utterance; null if there is none. */
  readonly read: ExplainedAnswer | null;
  /**
   * `asks`: the script has no model result for this question. `too_late`: the conversation ended
   * before.
   */
  readonly outcome:
    TurnOutcome | { readonly kind: 'asks'; readonly question: Question } | { readonly kind: 'too_late' };
}

/** Plays all turns. After a turn without a result, the rest is too late. */
export function converse(flow: CompiledFlow, script: Script, stepsProvedMax: number | null): PlayedTurn[] {
  const played: PlayedTurn[] = [];
  let from = script.startNode;
  let { variables } = script;
  let isOver = false;
  for (const turn of script.turns) {
    const { input, brought = null } = turn;
    if (isOver) {
      const outcome = { kind: 'too_late' } as const;
      played.push({ input, brought, from, variables, asked: [], read: null, outcome });
      continue;
    }
    const done = playTurn(flow, { ...script, ...turn, from, variables, stepsProvedMax });
    const read = from === null || input === null ? null : readAt(flow, from, input, { ...script, variables });
    played.push({ input, brought, from, variables, read: read?.kind === 'read' ? read : null, ...done });
    if (done.outcome.kind !== 'turn') isOver = true;
    else {
      isOver = done.outcome.nextNode === null;
      from = done.outcome.nextNode;
      variables = done.outcome.variables;
    }
  }
  return played;
}

interface Playing extends Omit<Script, 'turns' | 'startNode'>, ScriptedTurn {
  readonly from: string | null;
  readonly stepsProvedMax: number | null;
}

function playTurn(flow: CompiledFlow, playing: Playing): Pick<PlayedTurn, 'asked' | 'outcome'> {
  const { from, input, brought, variables, nowMs, answers, otherwise, agent, stepsProvedMax } = playing;
  const extractor = otherwise === undefined ? playing.extractor : otherwise.extraction !== null;
  let step = walkTurn(flow, {
    currentNode: from,
    userInput: input,
    answer: brought ?? null,
    variables,
    nowMs,
    session: 'try-it',
    agentMode: agent ? 'in_process' : 'out_of_band',
    extractorAvailable: extractor,
    stepsMax: limits.stepsMax,
    stepsProvedMax,
    trace: true,
  });
  const asked: ScriptQuestion[] = [];
  while (step.kind !== 'done') {
    const { resume, ...question } = step;
    const answer = answers[asked.length] ?? answerTo(question.kind, otherwise, chosenIn(asked));
    if (answer?.kind !== question.kind) return { asked, outcome: { kind: 'asks', question } };
    asked.push({ question, answer });
    step = resume(answer.answer as never);
  }
  return { asked, outcome: step.result };
}

const chosenIn = (asked: readonly ScriptQuestion[]): number =>
  asked.filter(({ answer }) => answer.kind === 'classify').length;

function answerTo(
  kind: Question['kind'],
  otherwise: Otherwise | undefined,
  classified: number,
): ScriptedAnswer | undefined {
  if (otherwise === undefined) return undefined;
  const { extraction } = otherwise;
  const given = otherwise.classifier;
  const classifier = typeof given === 'object' ? (given[classified] ?? 'none') : given;
  switch (kind) {
    case 'classify':
      return {
        kind,
        answer:
          classifier === 'none' ? { kind: 'none' } : { kind: 'chosen', index: classifier, confidence: 1 },
      };
    case 'extract':
      return { kind, answer: { kind: 'extracted', values: extraction ?? {} } };
    case 'run_agent':
      return { kind, answer: { status: 'error', answer: null, iterations: 0, toolCalls: [] } };
  }
}
