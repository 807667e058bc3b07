// POST /openai/v1/chat/completions: the next turn of a flow, for whoever talks to models (docs/openai.md). The engine keeps no session
// and such a client sends the whole conversation: so what was said is walked again, and then the turn that is asked for counts.
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import { idProblem, turnResultToWire, type TurnWire } from '@parley/flow-engine';
import { Reply, type Caller, type RequestContext } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { type RunnableVersion, versionToRun } from '../versions/runnable-flows.ts';
import { shownTo } from '../credentials/shown-to.ts';
import { HERE_MS } from '../heavy/heavy-jobs.ts';
import { liveTurnAnswers, runTurn, turnBounds, type TurnDeps } from '../turns/run-turn.ts';
import {
  beginning,
  catchUp,
  turnAt,
  type CaughtUpTo,
  type History,
  type Standing,
} from '../walk/catch-up.ts';
import { completionOf, eventsOf } from './completion.rules.ts';
import { firstMessages, turnsOf } from './history.ts';
import { keptAnswers, type Chat } from './kept-answers.ts';
import type { ChatRequest } from './schemas.ts';

type ChatDeps = TurnDeps & Pick<Deps, 'runnableFlows' | 'heavyWork' | 'sql' | 'ids'>;

/**
 * @throws AppError not_found, not_published, flow_has_errors, tool_result_mismatch, turn_did_not_settle, turn_too_costly,
 *   payload_too_large, conversation_too_large, request_too_costly
 */
export async function completeChat(
  deps: ChatDeps,
  caller: Caller,
  { body, request }: { readonly body: ChatRequest; readonly request: RequestContext },
) {
  const { organizationId } = caller;
  const { flowId, version: asked } = modelOf(body.model);
  const found = versionToRun(deps.runnableFlows, { organizationId, flowId, version: asked, face: 'openai' });
  const { version, runnable } = found instanceof Promise ? await found : found;

  const chat = chatOf(organizationId, flowId, body);
  const said = turnsOf(body.messages);
  const nowMs = deps.clock();
  const turn = { ...turnBounds(deps, runnable), nowMs, session: chat.session };
  const answersOf = keptAnswers(deps, chat, liveTurnAnswers(deps, { organizationId, turn }));
  const standing = beginning(body.metadata?.variables ?? {});
  const history: History = { said: said.slice(0, -1), done: 0, standing, turn };
  const { standing: at, done } = await walked(deps, organizationId, runnable, history, answersOf);

  const botId = body.metadata?.bot_id ?? null;
  const { status, next_node, outputs, actions } =
    overAlready(at) ??
    turnResultToWire(
      await runTurn(deps, {
        organizationId,
        flowId,
        version,
        runnable,
        botId,
        request,
        turn: turnAt({ turn, standing: at }, said.at(-1)!),
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
      actions: actions.length === 0 ? [] : shownTo(caller).actions(actions),
    },
  };
  if (!body.stream) return completionOf(answered);
  return new Reply(eventsOf(answered, body.stream_options?.include_usage === true), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
}

/** Whoever goes on talking after the end is told again that it is over, and nothing begins anew. */
function overAlready({
  ended,
}: Standing): Pick<TurnWire, 'status' | 'next_node' | 'outputs' | 'actions'> | null {
  return ended && { status: ended, next_node: null, outputs: [], actions: [] };
}

/** A flow's id has no `@`. @throws AppError not_found */
function modelOf(model: string): { flowId: string; version: number | undefined } {
  const [, flowId = '', version] = /^([^@]*)(?:@([1-9]\d{0,8}))?$/.exec(model) ?? [];
  if (idProblem(flowId) !== null) throw new AppError('not_found', `there is no model "${model}"`);
  return { flowId, version: version === undefined ? undefined : Number(version) };
}

function chatOf(organizationId: string, flowId: string, { user, metadata, messages }: ChatRequest): Chat {
  const named = metadata?.session_id ?? user;
  const session = named ?? `chat_${digestOf([flowId, firstMessages(messages)])}`;
  return { organizationId, flowId, session, isNamed: named != null };
}

const digestOf = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/**
 * To the end of the history: here for as long as nobody notices, then on a thread, where organisations take turns. A thread cannot ask:
 * what it asks is answered here, and it goes on.
 */
async function walked(
  { heavyWork }: Pick<Deps, 'heavyWork'>,
  organizationId: string,
  { compiled }: RunnableVersion,
  whole: History,
  answersOf: ReturnType<typeof keptAnswers>,
): Promise<History> {
  if (whole.said.length === 0) return whole;
  let { history, asked }: CaughtUpTo = await catchUp(compiled, whole, answersOf, HERE_MS);
  let answered: unknown[] = [];
  while (history.said.length > 0) {
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
