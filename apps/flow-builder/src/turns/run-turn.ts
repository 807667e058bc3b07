// One turn that counts, whichever way it came in: walked, its questions answered, told to whoever is told of turns, and counted.
import {
  recordTurn,
  redactorOf,
  TurnBudget,
  walkTurn,
  type RecordedAnswer,
  type Step,
  type TurnInput,
  type TurnResult,
} from '@parley/flow-engine';
import type { RequestContext } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { RunnableVersion } from '../versions/runnable-flows.ts';
import { driveTurn, type Answers, resultOf } from '../walk/turn.ts';
import { hearing } from './hear-answers.ts';
import { liveAnswers } from './live-answers.ts';
import { turnReports, type ReportedTurn, type TurnNotes } from './report-turn.rules.ts';

export type TurnDeps = Pick<Deps, 'clock' | 'config' | 'countTurn' | 'reports' | 'gateways' | 'dataSealer'>;

export interface NewTurn {
  readonly organizationId: string;
  readonly flowId: string;
  readonly version: number;
  readonly runnable: RunnableVersion;
  readonly turn: TurnInput;
  /** Whom the turn is reported as a part of; needs a session. */
  readonly botId: string | null;
  readonly request: RequestContext;
  /** Default: the provider gateway, within TURN_DEADLINE. */
  readonly answers?: Answers;
}

/**
 * What others are told of the turn is committed before its result is there; a turn that tells nobody touches no store. One that asks
 * nothing either is there at once.
 * @throws AppError unknown_node, tool_result_mismatch, handoff_result_mismatch, turn_did_not_settle, turn_too_costly
 */
export function runTurn(deps: TurnDeps, taken: NewTurn): TurnResult | Promise<TurnResult> {
  const first = walkTurn(taken.runnable.compiled, taken.turn);
  if (first.kind !== 'done' || mayReport(taken)) return settle(deps, taken, first);
  const result = resultOf(first.result);
  deps.countTurn(result);
  return result;
}

async function settle(deps: TurnDeps, taken: NewTurn, first: Step): Promise<TurnResult> {
  const heard: RecordedAnswer[] = [];
  const answers = taken.answers ?? liveTurnAnswers(deps, taken);
  const result = resultOf(await driveTurn(first, hearing(answers, deps.clock, heard)));
  if (mayReport(taken)) {
    const reports = turnReports(
      reportedTurn(taken),
      taken.runnable.compiled,
      result,
      new TurnBudget(),
      await turnNotes(deps, taken, heard, result),
    );
    if (reports.length > 0) await deps.reports.send(reports);
  }
  deps.countTurn(result);
  return result;
}

/** Of the provider gateway, within TURN_DEADLINE. */
export function liveTurnAnswers(
  { gateways, config }: Pick<Deps, 'gateways' | 'config'>,
  { organizationId, turn }: { readonly organizationId: string; readonly turn: Pick<TurnInput, 'session'> },
): Answers {
  const budgetMs = config.TURN_DEADLINE * 1000;
  return liveAnswers(gateways, { organizationId, sessionId: turn.session ?? null, budgetMs });
}

/** The part of a live turn's input that does not depend on the request. */
export function turnBounds(
  { config, gateways }: Pick<Deps, 'config' | 'gateways'>,
  runnable: Pick<RunnableVersion, 'agentMode' | 'stepsProvedMax'>,
) {
  const agentMode = runnable.agentMode ?? config.AGENT_MODE;
  return {
    agentMode: gateways.agent === null ? 'out_of_band' : agentMode,
    extractorAvailable: gateways.extractor !== null,
    stepsMax: config.FLOW_STEPS_MAX,
    stepsProvedMax: runnable.stepsProvedMax,
    classifierConfidenceMin: config.CLASSIFIER_MIN_CONFIDENCE,
  } as const;
}

/** Most turns tell nobody: no bot is named, and the flow has no webhook node. */
function mayReport({ botId, runnable }: NewTurn): boolean {
  return botId !== null || runnable.compiled.webhooks.length > 0;
}

/** The turn as the voice API keeps it, without the values that the flow keeps to itself (docs/flow-language.md#redaction). */
async function turnNotes(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  { organizationId, flowId, version, runnable, turn, botId }: NewTurn,
  answers: readonly RecordedAnswer[],
  result: TurnResult,
): Promise<TurnNotes> {
  const { redaction, compiled } = runnable;
  const redactor =
    redaction && redactorOf(redaction, turn, result, await dataSealer.hasher(`redaction:${organizationId}`));
  if (botId === null) return { recorded: null, redactor };
  const recorded = recordTurn({ flowId, version }, compiled.model, turn, answers, result);
  return { recorded: redactor?.turn(recorded) ?? recorded, redactor };
}

function reportedTurn({ organizationId, flowId, version, turn, botId, request }: NewTurn): ReportedTurn {
  return {
    organizationId,
    flowId,
    version,
    botId,
    sessionId: turn.session ?? null,
    currentNode: turn.currentNode,
    userInput: turn.userInput ?? null,
    answer: turn.answer ?? null,
    nowMs: turn.nowMs,
    trace: request,
  };
}
