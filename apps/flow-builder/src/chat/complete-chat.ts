// POST /openai/v1/chat/completions (docs/openai.md).
import { Reply, type Caller, type RequestContext } from '@parley/server/http';
import { toCompletion, toEvents } from './completion.rules.ts';
import { playChat, type ChatDeps } from './play-chat.ts';
import { ANONYMOUS } from './find-session.ts';
import { readChat } from './read-chat.ts';
import type { ChatRequest } from './schemas.ts';

interface ChatCall {
  readonly body: ChatRequest;
  /** X-Session-Id. */
  readonly header: string | undefined;
  readonly request: RequestContext;
}

/** @throws AppError as playChat */
export async function completeChat(deps: ChatDeps, caller: Caller, { body, header, request }: ChatCall) {
  const chat = readChat(body, body.messages, header);
  const answered = { ...(await playChat(deps, caller, chat, request)), id: deps.ids('chatcmpl') };
  const headers = chat.session === null ? ANONYMOUS : {};
  if (!body.stream) return new Reply(toCompletion(answered), { headers });
  return new Reply(toEvents(answered, body.stream_options?.include_usage === true), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
  });
}
