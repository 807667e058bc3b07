// POST /v1/flows/{flow_id}/execute: one turn. Loads the compiled version, drives the engine's walk, answers its questions.
import { AppError } from '@parley/envelopes';
import {
  callerAnswer,
  recordTurn,
  redactorOf,
  TurnBudget,
  turnResultToWire,
  walkTurn,
  type CompiledFlow,
  type RecordedAnswer,
  type Step,
  type TurnInput,
  type TurnResult,
} from '@parley/flow-engine';
import type { Caller, Face, RequestContext } from '@parley/http';
import type { Deps } from '../deps.ts';
import { resultOf } from '../heavy/heavy-jobs.ts';
import { driveTurn } from './drive-turn.ts';
import { hearing } from './hear-answers.ts';
import { liveAnswers, type LiveTurn } from './live-answers.ts';
import { turnReports, type ReportedTurn, type TurnNotes } from './report-turn.rules.ts';
import type { Pointers, RunnableVersion } from '../flows/runnable-flows.ts';
import type { ExecuteRequest } from '../flows/schemas.ts';
import { shownTo } from '../flows/shown-to.ts';
import { noFlow } from '../flows/version-ledger.ts';

/** The caller carries the bag in every request, and a turn copies it (docs/flow-language.md#definition). */
export const BAG_BYTES_MAX = 256 * 1024;

type ExecuteDeps = Pick<
  Deps,
  'runnableFlows' | 'clock' | 'config' | 'countTurn' | 'reports' | 'gateways' | 'dataSealer'
>;

export interface Execute {
  readonly flowId: string;
  readonly face: Face;
  readonly body: ExecuteRequest;
  /** `?version=`; the same may stand in the body. */
  readonly version: number | undefined;
  readonly trace: boolean;
  readonly request: RequestContext;
  /** Bytes of the request's body, where its sender declared them. */
  readonly bodyBytes: number | undefined;
}

/**
 * Executes one turn. Stateless: no session is stored, the caller sends `next_node` and `variables` back. What others are
 * told of the turn is committed before the answer; a turn that tells nobody touches no store. Which version runs
 * (docs/flow-language.md#which-version-runs): the one asked for; else the published one; else, on /v1, the latest without
 * errors.
 * @throws AppError not_found, not_published, flow_has_errors, unknown_node, tool_result_mismatch, handoff_result_mismatch,
 *   turn_did_not_settle, turn_too_costly, payload_too_large
 */
export async function executeTurn(deps: ExecuteDeps, caller: Caller, execute: Execute) {
  const { body, flowId } = execute;
  refuseLargeBag(execute);
  const asked = askedVersion(execute);
  const key = { organizationId: caller.organizationId, flowId };
  // What is in memory is there at once: a warm turn that asks nothing awaits nothing, not even the next microtask.
  const flows = deps.runnableFlows;
  const pointers = flows.peekPointers(key) ?? (await flows.pointers(key));
  if (!pointers) throw noFlow(flowId);
  const version = asked ?? chooseVersion(pointers, execute);
  const runnable = flows.peekValidVersion(key, version) ?? (await flows.getValidVersion(key, version));

  const session_id = body.session_id ?? null;
  const turn = turnInput(deps, runnable, execute);
  const first = walkTurn(runnable.compiled, turn);
  const answers: RecordedAnswer[] = [];
  const result =
    first.kind === 'done'
      ? resultOf(first.result)
      : await settledTurn(
          deps,
          first,
          turn.nowMs,
          { organizationId: caller.organizationId, sessionId: session_id },
          answers,
        );
  if (mayReport(execute, runnable.compiled)) {
    const reports = turnReports(
      reportedTurn(caller, execute, version, turn.nowMs),
      runnable.compiled,
      result,
      new TurnBudget(),
      await turnNotes(deps, caller, execute, { runnable, version, turn, answers, result }),
    );
    if (reports.length > 0) await deps.reports.send(reports);
  }
  deps.countTurn(result);
  // Spelled out, for the usual turn: the copies of a spread cost more than the turn.
  const turned = turnResultToWire(result);
  const wire =
    turned.actions.length === 0 ? turned : { ...turned, actions: shownTo(caller).actions(turned.actions) };
  const { status, next_node, outputs, actions, variables, input, steps } = wire;
  const unpublished = asked === undefined && pointers.publishedVersion === null;
  if (!unpublished && wire.trace === undefined)
    return {
      flow_id: flowId,
      version,
      session_id,
      status,
      next_node,
      outputs,
      actions,
      variables,
      input,
      steps,
    };
  return { flow_id: flowId, version, ...(unpublished ? { published: false } : {}), session_id, ...wire };
}

/** A body within the limit holds a bag within the limit; only a larger, or undeclared, one is measured. */
function refuseLargeBag({ body, bodyBytes }: Execute): void {
  if (bodyBytes !== undefined && bodyBytes <= BAG_BYTES_MAX) return;
  // The result of a tool goes into the bag.
  const result = body.tool_result?.result;
  const bytes = jsonLength(body.variables ?? {}) + (result === undefined ? 0 : jsonLength(result));
  if (bytes <= BAG_BYTES_MAX) return;
  const what = result === undefined ? 'variables take' : 'variables and the result of the tool take';
  throw new AppError('payload_too_large', `${what} ${bytes} bytes; at most ${BAG_BYTES_MAX} are accepted`, {
    fields: [{ path: '/variables', message: `must be at most ${BAG_BYTES_MAX} bytes of JSON` }],
  });
}

const jsonLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function askedVersion({ version, body }: Execute): number | undefined {
  const inBody = body.version ?? undefined;
  if (version !== undefined && inBody !== undefined && version !== inBody) {
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: [{ path: '/version', message: 'differs from the version in the query' }],
    });
  }
  return version ?? inBody;
}

function chooseVersion(pointers: Pointers, { face, flowId }: Execute): number {
  if (pointers.publishedVersion !== null) return pointers.publishedVersion;
  if (face === 'product') throw new AppError('not_published', `flow "${flowId}" has no published version`);
  if (pointers.latestValid === null)
    throw new AppError('flow_has_errors', `flow "${flowId}" has no version without errors`);
  return pointers.latestValid;
}

function turnInput(
  deps: ExecuteDeps,
  runnable: RunnableVersion,
  { body, bodyBytes, trace }: Execute,
): TurnInput {
  const { agentMode, extractorAvailable, stepsMax, stepsProvedMax, classifierConfidenceMin } = turnBounds(
    deps,
    runnable,
  );
  return {
    agentMode,
    extractorAvailable,
    stepsMax,
    stepsProvedMax,
    classifierConfidenceMin,
    currentNode: body.current_node ?? null,
    userInput: body.user_input,
    answer: callerAnswer(body),
    variables: body.variables ?? {},
    nowMs: deps.clock(),
    session: body.session_id ?? null,
    variablesBytes: Math.min(bodyBytes ?? BAG_BYTES_MAX, BAG_BYTES_MAX),
    trace,
  };
}

type BoundDeps = Pick<Deps, 'config' | 'gateways'>;

/** The part of a live turn's input that does not depend on the request. */
export function turnBounds(
  { config, gateways }: BoundDeps,
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

/** What comes of a live turn, its questions answered within TURN_DEADLINE. @throws AppError unknown_node, turn_did_not_settle, turn_too_costly */
export async function settledTurn(
  { gateways, clock, config }: Pick<Deps, 'gateways' | 'clock' | 'config'>,
  first: Step,
  nowMs: number,
  of: Omit<LiveTurn, 'deadlineMs'>,
  heard: RecordedAnswer[],
): Promise<TurnResult> {
  const deadlineMs = nowMs + config.TURN_DEADLINE * 1000;
  const answers = liveAnswers(gateways, clock, { ...of, deadlineMs });
  return resultOf(await driveTurn(first, hearing(answers, clock, heard)));
}

/** Most turns tell nobody: no bot is named, and the flow has no webhook node. */
function mayReport({ body }: Execute, flow: CompiledFlow): boolean {
  return body.bot_id != null || flow.webhooks.length > 0;
}

interface SettledTurn {
  readonly runnable: RunnableVersion;
  readonly version: number;
  readonly turn: TurnInput;
  readonly answers: readonly RecordedAnswer[];
  readonly result: TurnResult;
}

/** The turn as the voice API keeps it, without the values that the flow keeps to itself (docs/flow-language.md#redaction). */
async function turnNotes(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  { organizationId }: Caller,
  { flowId, body }: Execute,
  { runnable, version, turn, answers, result }: SettledTurn,
): Promise<TurnNotes> {
  const { redaction, compiled } = runnable;
  const redactor =
    redaction && redactorOf(redaction, turn, result, await dataSealer.hasher(`redaction:${organizationId}`));
  if (body.bot_id == null) return { recorded: null, redactor };
  const recorded = recordTurn({ flowId, version }, compiled.model, turn, answers, result);
  return { recorded: redactor?.turn(recorded) ?? recorded, redactor };
}

function reportedTurn(
  caller: Caller,
  { flowId, body, request }: Execute,
  version: number,
  nowMs: number,
): ReportedTurn {
  return {
    organizationId: caller.organizationId,
    flowId,
    version,
    botId: body.bot_id ?? null,
    sessionId: body.session_id ?? null,
    currentNode: body.current_node ?? null,
    userInput: body.user_input ?? null,
    answer: callerAnswer(body),
    nowMs,
    trace: request,
  };
}
