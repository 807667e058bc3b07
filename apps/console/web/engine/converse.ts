// A conversation with the draft: what was said and answered is the script, and everything else follows from it. So going back, saying
// something else, and "what if the classifier had answered otherwise" are all the same: another script, played from the start.
import {
  limits,
  readAt,
  walkTurn,
  type AgentOutcome,
  type Bag,
  type CallerAnswer,
  type Classification,
  type CompiledFlow,
  type ExplainedAnswer,
  type Extraction,
  type Step,
  type TurnOutcome,
} from '@parley/flow-engine';

export interface Script {
  /** Where it begins; null = at the start node. */
  readonly startNode: string | null;
  readonly variables: Bag;
  /** Epoch ms that "tomorrow" is relative to. */
  readonly nowMs: number;
  /** The extractor is there, and its answers are asked for. */
  readonly extractor: boolean;
  /** Autonomous nodes run in the turn, and their outcome is asked for; else they are dispatched. */
  readonly agent: boolean;
  readonly turns: readonly ScriptedTurn[];
}

export interface ScriptedTurn {
  /** null = nothing: the opening turn, or a silent caller. */
  readonly input: string | null;
  /** What is brought to a node that waits for its caller. */
  readonly brought?: CallerAnswer | null;
  /** What the models answer, in the order of asking. */
  readonly answers: readonly ScriptedAnswer[];
  /** What they answer beyond that, where the turn is that of a stored test; else it is asked for. */
  readonly otherwise?: Otherwise;
}

type Choice = number | 'none';

export interface Otherwise {
  /** A list answers one question after the other. */
  readonly classifier: Choice | readonly Choice[];
  /** null = there is no extractor. */
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

export interface Asked {
  readonly question: Question;
  readonly answer: ScriptedAnswer;
}

export interface PlayedTurn {
  readonly input: string | null;
  readonly brought: CallerAnswer | null;
  /** Where it began; null = at the start node. */
  readonly from: string | null;
  readonly variables: Bag;
  readonly asked: readonly Asked[];
  /** How the words were read at the question where the turn began; null where there was none. */
  readonly read: ExplainedAnswer | null;
  /** `asks`: the script has no answer to this. `too_late`: the conversation was over before. */
  readonly outcome:
    TurnOutcome | { readonly kind: 'asks'; readonly question: Question } | { readonly kind: 'too_late' };
}

/** Plays every turn; one that has no result ends it, and what follows came too late. */
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
  const asked: Asked[] = [];
  while (step.kind !== 'done') {
    const { resume, ...question } = step;
    const answer = answers[asked.length] ?? answerTo(question.kind, otherwise, chosenIn(asked));
    if (answer?.kind !== question.kind) return { asked, outcome: { kind: 'asks', question } };
    asked.push({ question, answer });
    step = resume(answer.answer as never);
  }
  return { asked, outcome: step.result };
}

const chosenIn = (asked: readonly Asked[]): number =>
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
