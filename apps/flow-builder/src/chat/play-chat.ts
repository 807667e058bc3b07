// The next turn of a flow for clients of models (docs/openai.md). Clients send the whole
// conversation, and the engine stores no session: earlier turns are walked again, and only the last
// one is reported.
import { AppError, isPathId } from '@parley/envelopes';
import { turnResultToWire, type Bag, type TurnWire } from '@parley/flow-engine';
import type { Caller, RequestContext } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { type RunnableVersion, findVersionToRun } from '../versions/runnable-flows.ts';
import { createMaskFor } from '../credentials/mask-for-caller.ts';
import { MAIN_THREAD_MS } from '../heavy/heavy-jobs.ts';
import {
  createTurnAnswers,
  createTurnMeter,
  runTurn,
  readTurnBounds,
  type TurnDeps,
} from '../turns/run-turn.ts';
import {
  createState,
  catchUp,
  isIdle,
  toTurnInput,
  type CatchUpProgress,
  type History,
  type HistoryTurn,
  type ConversationState,
} from '../walk/catch-up.ts';
import { parseModel } from './parse-model.ts';
import { createStoredAnswers } from './stored-answers.ts';

export type ChatDeps = TurnDeps & Pick<Deps, 'runnableFlows' | 'heavyWork' | 'sql' | 'ids' | 'gateways'>;

export interface Chat {
  readonly model: string;
  /** Oldest first. The last one is the turn to execute. */
  readonly turns: readonly HistoryTurn[];
  /** Null = anonymous: nothing is stored, shared or reported. */
  readonly session: string | null;
  readonly variables: Bag;
  readonly botId: string | null;
  readonly ignoredParts: number;
}

/** The turn, for clients that read more than OpenAI's members. */
export interface Parley extends Pick<TurnWire, 'status' | 'next_node' | 'actions'> {
  readonly flow_id: string;
  readonly version: number;
  readonly session_id: string | null;
  readonly turn: number;
  /** Images, audio and files of the messages, which are not read. */
  readonly ignored_parts?: number;
}

export interface ChatTurn {
  readonly nowMs: number;
  readonly model: string;
  /** Texts of the flow, in order. */
  readonly texts: readonly string[];
  readonly parley: Parley;
}

/**
 * @throws AppError invalid_request, not_found, not_published, flow_has_errors,
 *   tool_result_mismatch, turn_did_not_settle, turn_too_costly, payload_too_large,
 *   conversation_too_large, request_too_costly
 */
export async function playChat(
  deps: ChatDeps,
  caller: Caller,
  chat: Chat,
  request: RequestContext,
): Promise<ChatTurn> {
  const { organizationId } = caller;
  const { turns, session, botId, ignoredParts } = chat;
  if (botId !== null && !isPathId(session ?? '')) throw conversationRequired();
  const { flowId, version: asked } = parseModel(chat.model);
  const wanted = { organizationId, flowId, version: asked, face: 'openai' } as const;
  const found = findVersionToRun(deps.runnableFlows, wanted);
  const { version, runnable } = found instanceof Promise ? await found : found;

  const gateways = await deps.gateways.get(organizationId);
  const nowMs = deps.clock();
  const turn = { ...readTurnBounds(deps, gateways, runnable), nowMs, session };
  const meter = createTurnMeter(deps, organizationId, gateways, request);
  const model = runnable.modelName;
  const live = createTurnAnswers(deps, { organizationId, gateways, model, turn }, meter);
  const { isLexical } = gateways.classifier;
  const answersOf = createStoredAnswers(deps, { organizationId, flowId, session, isLexical }, live);
  const state = createState(chat.variables);
  const history: History = { turns: turns.slice(0, -1), done: 0, state, turn };
  const { state: at, done } = await catchUpHistory(deps, organizationId, runnable, history, answersOf);

  const next = turns.at(-1)!;
  const { status, next_node, outputs, actions } =
    skipTurn(at, next) ??
    turnResultToWire(
      await runTurn(deps, {
        organizationId,
        flowId,
        version,
        runnable,
        gateways,
        botId,
        request,
        turn: toTurnInput({ turn, state: at }, next),
        answers: answersOf(done),
        meter,
      }),
    );
  return {
    nowMs,
    model: chat.model,
    texts: outputs.map(({ text }) => String(text)),
    parley: {
      flow_id: flowId,
      version,
      session_id: session,
      turn: done + 1,
      status,
      next_node,
      actions: actions.length === 0 ? [] : createMaskFor(caller).actions(actions),
      ...(ignoredParts === 0 ? {} : { ignored_parts: ignoredParts }),
    },
  };
}

function conversationRequired(): AppError {
  return new AppError('invalid_request', 'the request is not valid', {
    fields: [
      {
        path: '/metadata/session_id',
        message: 'is needed with bot_id, as a conversation id: not dots alone, and none of / \\ ? # %',
      },
    ],
  });
}

type PlayedTurn = Pick<TurnWire, 'status' | 'next_node' | 'outputs' | 'actions'>;

/** After the end every request gets the end again. A late result alone changes nothing. */
function skipTurn(state: ConversationState, next: HistoryTurn): PlayedTurn | null {
  const nothing = { outputs: [], actions: [] };
  if (state.ended !== null) return { ...nothing, status: state.ended, next_node: null };
  return isIdle(next, state) ? { ...nothing, status: 'waiting', next_node: state.currentNode } : null;
}

/**
 * Walks the history, first on the main thread, then on a heavy thread, where organisations take
 * turns. Threads have no gateway: this thread answers their questions.
 */
async function catchUpHistory(
  { heavyWork }: Pick<Deps, 'heavyWork'>,
  organizationId: string,
  { compiled }: RunnableVersion,
  whole: History,
  answersOf: ReturnType<typeof createStoredAnswers>,
): Promise<History> {
  if (whole.turns.length === 0) return whole;
  let { history, asked }: CatchUpProgress = await catchUp(compiled, whole, answersOf, MAIN_THREAD_MS);
  let answered: unknown[] = [];
  while (history.turns.length > 0) {
    const before = history.done;
    const input = { definition: compiled.model.definition, stored: true, history, answered };
    ({ history, asked } = await heavyWork.run(organizationId, 'catchUp', input));
    if (!asked) continue;
    const answers = answersOf(history.done);
    const answer = await (answers[asked.to] as (question: unknown) => Promise<unknown>)(asked.question);
    answered = history.done === before ? [...answered, answer] : [answer];
  }
  return history;
}
