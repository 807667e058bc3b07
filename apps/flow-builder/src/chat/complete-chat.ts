// POST /openai/v1/chat/completions (docs/openai.md).
import { Reply, type Caller, type RequestContext } from '@parley/server/http';
import { toCompletion, toEvents } from './completion.rules.ts';
import { countIgnoredParts, toTurns } from './history.ts';
import { playChat, type ChatDeps } from './play-chat.ts';
import { ANONYMOUS, findSession } from './find-session.ts';
import type { ChatRequest } from './schemas.ts';

interface ChatCall {
  readonly body: ChatRequest;
  /** X-Session-Id. */
  readonly header: string | undefined;
  readonly request: RequestContext;
}

/** @throws AppError as playChat */
export async function completeChat(deps: ChatDeps, caller: Caller, { body, header, request }: ChatCall) {
  const session = findSession(body, header);
  const chat = {
    model: body.model,
    turns: toTurns(body.messages),
    session,
    variables: body.metadata?.variables ?? {},
    botId: body.metadata?.bot_id ?? null,
    ignoredParts: countIgnoredParts(body.messages),
  };
  const answered = { ...(await playChat(deps, caller, chat, request)), id: deps.ids('chatcmpl') };
  const headers = session === null ? ANONYMOUS : {};
  if (!body.stream) return new Reply(toCompletion(answered), { headers });
  return new Reply(toEvents(answered, body.stream_options?.include_usage === true), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
  });
}
