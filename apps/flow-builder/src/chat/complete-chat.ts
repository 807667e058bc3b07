// POST /openai/v1/chat/completions: the next turn of a flow for clients of models (docs/openai.md).
// Clients send the whole conversation, and the engine stores no session: earlier turns are walked
// again, and only the last one is reported.
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import { idProblem, turnResultToWire, type TurnWire } from '@parley/flow-engine';
import { Reply, type Caller, type RequestContext } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { type RunnableVersion, findVersionToRun } from '../versions/runnable-flows.ts';
import { createMaskFor } from '../credentials/mask-for-caller.ts';
import { MAIN_THREAD_MS } from '../heavy/heavy-jobs.ts';
import { createTurnAnswers, runTurn, readTurnBounds, type TurnDeps } from '../turns/run-turn.ts';
import {
  createState,
  catchUp,
  toTurnInput,
  type CatchUpProgress,
  type History,
  type ConversationState,
} from '../walk/catch-up.ts';
import { toCompletion, toEvents } from './completion.rules.ts';
import { selectOpening, toTurns } from './history.ts';
import { createStoredAnswers, type Chat } from './stored-answers.ts';
import type { ChatRequest } from './schemas.ts';

type ChatDeps = TurnDeps & Pick<Deps, 'runnableFlows' | 'heavyWork' | 'sql' | 'ids'>;

/**
 * @throws AppError not_found, not_published, flow_has_errors, tool_result_mismatch,
 *   turn_did_not_settle, turn_too_costly, payload_too_large, conversation_too_large,
 *   request_too_costly
 */
export async function completeChat(
  deps: ChatDeps,
  caller: Caller,
  { body, request }: { readonly body: ChatRequest; readonly request: RequestContext },
) {
  const { organizationId } = caller;
  const { flowId, version: asked } = parseModel(body.model);
  const found = findVersionToRun(deps.runnableFlows, {
    organizationId,
    flowId,
    version: asked,
    face: 'openai',
  });
  const { version, runnable } = found instanceof Promise ? await found : found;

  const chat = identifyChat(organizationId, flowId, body);
  const turns = toTurns(body.messages);
  const nowMs = deps.clock();
  const turn = { ...readTurnBounds(deps, runnable), nowMs, session: chat.session };
  const answersOf = createStoredAnswers(deps, chat, createTurnAnswers(deps, { organizationId, turn }));
  const state = createState(body.metadata?.variables ?? {});
  const history: History = { turns: turns.slice(0, -1), done: 0, state, turn };
  const { state: at, done } = await catchUpHistory(deps, organizationId, runnable, history, answersOf);

  const botId = body.metadata?.bot_id ?? null;
  const { status, next_node, outputs, actions } =
    repeatEnd(at) ??
    turnResultToWire(
      await runTurn(deps, {
        organizationId,
        flowId,
        version,
        runnable,
        botId,
        request,
        turn: toTurnInput({ turn, state: at }, turns.at(-1)!),
        answers: answersOf(done),
      }),
    );
  const answered = {
    id: deps.ids('chatcmpl'),
    nowMs,
    model: body.model,
    texts: outputs.map(({ text }) => String(text)),
    parley: {
      flow_id: flowId,
      version,
      session_id: chat.session,
      turn: done + 1,
      status,
      next_node,
      actions: actions.length === 0 ? [] : createMaskFor(caller).actions(actions),
    },
  };
  if (!body.stream) return toCompletion(answered);
  return new Reply(toEvents(answered, body.stream_options?.include_usage === true), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
}

/** After the end every request gets the end again. */
function repeatEnd({
  ended,
}: ConversationState): Pick<TurnWire, 'status' | 'next_node' | 'outputs' | 'actions'> | null {
  return ended && { status: ended, next_node: null, outputs: [], actions: [] };
}

/** Flow ids have no `@`. @throws AppError not_found */
function parseModel(model: string): { flowId: string; version: number | undefined } {
  const [, flowId = '', version] = /^([^@]*)(?:@([1-9]\d{0,8}))?$/.exec(model) ?? [];
  if (idProblem(flowId) !== null) throw new AppError('not_found', `there is no model "${model}"`);
  return { flowId, version: version === undefined ? undefined : Number(version) };
}

function identifyChat(
  organizationId: string,
  flowId: string,
  { user, metadata, messages }: ChatRequest,
): Chat {
  const named = metadata?.session_id ?? user;
  const session = named ?? `chat_${computeDigest([flowId, selectOpening(messages)])}`;
  return { organizationId, flowId, session, isNamed: named != null };
}

const computeDigest = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

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
