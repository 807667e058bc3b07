// Runs one turn for execute and for chats: walks it, answers its questions, reports and counts it.
import { recordTurn, makeRedactor, type RecordedAnswer } from '@parley/flow-analysis';
import {
  limits,
  TurnBudget,
  walkTurn,
  type Step,
  type TurnInput,
  type TurnResult,
} from '@parley/flow-engine';
import type { RequestContext } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { Gateways } from '../gateways/create-gateways.ts';
import { createMeter, type Meter } from '../gateways/meter.ts';
import { addUsage } from '../gateways/usage-table.ts';
import type { RunnableVersion } from '../versions/runnable-flows.ts';
import { driveTurn, type Answers, toTurnResult } from '../walk/turn.ts';
import { recordAnswers } from './record-answers.ts';
import { createLiveAnswers } from './live-answers.ts';
import { buildReports, type ReportedTurn, type TurnRecording } from './report-turn.rules.ts';

export type TurnDeps = Pick<
  Deps,
  'clock' | 'config' | 'countTurn' | 'reports' | 'dataSealer' | 'sql' | 'log'
>;

export interface NewTurn {
  readonly organizationId: string;
  readonly flowId: string;
  readonly version: number;
  readonly runnable: RunnableVersion;
  /** Of the organisation. */
  readonly gateways: Gateways;
  readonly turn: TurnInput;
  /** The turn is reported as part of a conversation of this bot. Needs a session. */
  readonly botId: string | null;
  readonly request: RequestContext;
  /** Default: the model gateway, within TURN_DEADLINE. */
  readonly answers?: Answers;
  /** Of `answers`; also for a caller that reads it. */
  readonly meter?: Meter | undefined;
}

/**
 * Commits the reports of the turn before it returns the result. A turn without reports reads and
 * writes no store; without questions it is synchronous.
 * @throws AppError unknown_node, tool_result_mismatch, handoff_result_mismatch,
 *   turn_did_not_settle, turn_too_costly
 */
export function runTurn(deps: TurnDeps, taken: NewTurn): TurnResult | Promise<TurnResult> {
  const first = walkTurn(taken.runnable.compiled, taken.turn);
  if (first.kind !== 'done' || isReported(taken)) return settle(deps, taken, first);
  const result = toTurnResult(first.result);
  deps.countTurn(result);
  return result;
}

async function settle(deps: TurnDeps, taken: NewTurn, first: Step): Promise<TurnResult> {
  const heard: RecordedAnswer[] = [];
  const meter = taken.meter ?? createTurnMeter(deps, taken.organizationId, taken.gateways, taken.request);
  const answers =
    taken.answers ?? createTurnAnswers(deps, { ...taken, model: taken.runnable.modelName }, meter);
  const result = toTurnResult(await driveTurn(first, recordAnswers(answers, deps.clock, meter, heard)));
  if (isReported(taken)) {
    const reports = buildReports(
      toReportedTurn(taken),
      taken.runnable.compiled,
      result,
      new TurnBudget(),
      await createRecording(deps, taken, heard, result),
    );
    if (reports.length > 0) await deps.reports.send(reports);
  }
  deps.countTurn(result);
  return result;
}

export function createTurnMeter(
  { sql, log }: Pick<Deps, 'sql' | 'log'>,
  organizationId: string,
  { budget }: Pick<Gateways, 'budget'>,
  request?: RequestContext,
): Meter {
  return createMeter({
    log,
    traceparent: request?.traceparent,
    store: async (usage) => {
      const cost = await addUsage(sql, organizationId, usage);
      budget?.record(cost);
    },
  });
}

interface AnsweredTurn {
  readonly organizationId: string;
  readonly gateways: Gateways;
  /** The model that the flow names. */
  readonly model: string | null;
  readonly turn: Pick<TurnInput, 'session'>;
}

export function createTurnAnswers(
  { config }: Pick<Deps, 'config'>,
  { organizationId, gateways, model, turn }: AnsweredTurn,
  meter: Meter,
): Answers {
  const budgetMs = config.TURN_DEADLINE * 1000;
  const sessionId = turn.session ?? null;
  return createLiveAnswers(gateways, { organizationId, sessionId, budgetMs, meter, model });
}

/** The part of the input that does not depend on the request. */
export function readTurnBounds(
  { config }: Pick<Deps, 'config'>,
  gateways: Pick<Gateways, 'agent' | 'extractor'>,
  runnable: Pick<RunnableVersion, 'agentMode' | 'stepsProvedMax'>,
) {
  const agentMode = runnable.agentMode ?? config.AGENT_MODE;
  return {
    agentMode: gateways.agent === null ? 'out_of_band' : agentMode,
    extractorAvailable: gateways.extractor !== null,
    stepsMax: limits.stepsMax,
    stepsProvedMax: runnable.stepsProvedMax,
    classifierConfidenceMin: limits.classifierConfidenceMin,
  } as const;
}

/** Most turns have no reports: no bot is named, and the flow has no webhook node. */
function isReported({ botId, runnable }: NewTurn): boolean {
  return botId !== null || runnable.compiled.webhooks.length > 0;
}

/** Records the turn for the voice API without redacted values (docs/flow-language.md#redaction). */
async function createRecording(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  { organizationId, flowId, version, runnable, turn, botId }: NewTurn,
  answers: readonly RecordedAnswer[],
  result: TurnResult,
): Promise<TurnRecording> {
  const { redaction, compiled } = runnable;
  const redactor =
    redaction &&
    makeRedactor(redaction, turn, result, await dataSealer.hasher(`redaction:${organizationId}`));
  if (botId === null) return { recorded: null, redactor };
  const recorded = recordTurn({ flowId, version }, compiled.model, turn, answers, result);
  return { recorded: redactor?.turn(recorded) ?? recorded, redactor };
}

function toReportedTurn({ organizationId, flowId, version, turn, botId, request }: NewTurn): ReportedTurn {
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
