// POST /openai/v1/responses: the turn of a chat, in the shapes of OpenAI's Responses API
// (docs/openai.md#responses).
import { Reply, type Caller, type RequestContext } from '@parley/server/http';
import { ANONYMOUS } from './find-session.ts';
import { playChat, type ChatDeps } from './play-chat.ts';
import { readChat } from './read-chat.ts';
import { toMessages } from './response-items.ts';
import type { ResponseRequest } from './response-schemas.ts';
import { toResponse, toResponseEvents } from './response.rules.ts';

interface ResponseCall {
  readonly body: ResponseRequest;
  /** X-Session-Id. */
  readonly header: string | undefined;
  readonly request: RequestContext;
}

/** @throws AppError as playChat */
export async function createResponse(
  deps: ChatDeps,
  caller: Caller,
  { body, header, request }: ResponseCall,
) {
  const chat = readChat(body, toMessages(body.input), header);
  const turn = await playChat(deps, caller, chat, request);
  const answered = { ...turn, id: deps.ids('resp'), messageId: deps.ids('msg'), callId: deps.ids('fc') };
  const headers = chat.session === null ? ANONYMOUS : {};
  if (!body.stream) return new Reply(toResponse(answered), { headers });
  return new Reply(toResponseEvents(answered), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers },
  });
}
