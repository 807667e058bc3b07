// Reads a request of a model client as a chat: the same for chat completions and responses.
import { AppError, type FieldProblem } from '@parley/envelopes';
import type { Bag } from '@parley/flow-engine';
import { findRefusedJson } from '@parley/server/http';
import { findSession } from './find-session.ts';
import { countIgnoredParts, toTurns } from './history.ts';
import type { Chat } from './play-chat.ts';
import { variables, type ChatMessage, type ChatRequest } from './schemas.ts';

/**
 * @param header X-Session-Id
 * @throws AppError invalid_request
 */
export function readChat(
  body: Pick<ChatRequest, 'model' | 'metadata'>,
  messages: readonly ChatMessage[],
  header: string | undefined,
): Chat {
  return {
    model: body.model,
    turns: toTurns(messages),
    session: findSession(body, header),
    variables: readVariables(body.metadata?.variables ?? {}),
    botId: body.metadata?.bot_id ?? null,
    ignoredParts: countIgnoredParts(messages),
  };
}

/** OpenAI's clients type metadata as texts, so an object may come as its JSON. */
function readVariables(given: Bag | string): Bag {
  if (typeof given !== 'string') return given;
  const read = variables.safeParse(parseJson(given));
  const problems: FieldProblem[] = read.success
    ? findRefusedJson(read.data)
    : [{ path: '', message: 'must be an object, or the JSON of one' }];
  if (problems.length === 0) return read.data!;
  throw new AppError('invalid_request', 'the request is not valid', {
    fields: problems.map((problem) => ({ ...problem, path: `/metadata/variables${problem.path}` })),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
