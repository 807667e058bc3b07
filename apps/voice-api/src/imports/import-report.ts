// POST /v1/conversations/import/{vendor}: turns a vendor's report of a call into a conversation
// (docs/voice-api.md#imports).
import type { z } from 'zod';
import { AppError, type FieldProblem } from '@parley/envelopes';
import { parsePart, findRefusedJson, type BodyDoubts, type Caller } from '@parley/server/http';
import type { Trace } from '@parley/jobs';
import { updateConversation } from '../conversations/changes/update-conversations.ts';
import { conversationUpdate } from '../conversations/changes/schemas.ts';
import { wellFormed } from '../conversation-model/parse-events.ts';
import { acceptEvents } from '../conversations/accept-events.ts';
import type { Deps } from './deps.ts';
import type { Importer } from './report.rules.ts';
import type { Source } from './sources.ts';
import { retell } from './retell.rules.ts';
import { vapi } from './vapi.rules.ts';

const IMPORTERS: Readonly<Record<Source, Importer>> = { vapi, retell };

export interface ImportRequest {
  readonly source: Source;
  readonly body: unknown;
  readonly doubts: BodyDoubts;
  readonly botId: string | undefined;
}

/**
 * Commits events and after-call data separately, so a repeated report continues where it stopped.
 * @throws AppError invalid_request, unprocessable, conversation_deleted, bot_not_of_key
 */
export async function importReport(
  deps: Parameters<typeof acceptEvents>[0] & Pick<Deps, 'transact'>,
  caller: Caller,
  { source, body, doubts, botId }: ImportRequest,
  trace: Trace,
) {
  const importer = IMPORTERS[source];
  const imported = importer.read(parseReport(importer, body, doubts) as never, botId, deps.clock());
  if ('ignored' in imported) return { conversation_id: null, ignored: imported.ignored.slice(0, 128) };
  const { conversationId, events, changes, skipped } = imported.report;
  const result = await acceptEvents(deps, caller, events, trace);
  if (result.rejected.some(({ code }) => code === 'CONVERSATION_DELETED'))
    throw new AppError(
      'conversation_deleted',
      `Conversation "${conversationId}" was deleted and accepts no further events.`,
    );
  if (result.rejected.some(({ code }) => code === 'BOT_NOT_OF_KEY'))
    throw new AppError('bot_not_of_key', 'The report belongs to none of the bots of the key. Set bot_id.');
  if (result.rejected.length === events.length)
    throw new AppError(
      'unprocessable',
      `The report has no event that can be stored: ${result.rejected[0]!.message}`.slice(0, 500),
    );
  const { storable, refused } = selectStorable(changes);
  if (Object.keys(storable).length > 0) await updateConversation(deps, caller, conversationId, storable);
  return { conversation_id: conversationId, ...result, left_out: skipped, refused };
}

function parseReport({ payload }: Importer, body: unknown, { lost }: BodyDoubts): unknown {
  const refused = [...lost, ...findRefusedJson(body)].filter(({ code }) => code !== 'half_surrogate');
  if (refused.length > 0)
    throw new AppError('invalid_request', 'the report has values that cannot be stored', { fields: refused });
  const problems: FieldProblem[] = [];
  const read = parsePart(payload, wellFormed(body), 'body', problems);
  if (problems.length > 0)
    throw new AppError('invalid_request', 'the body is not a report as documented by the vendor', {
      fields: problems,
    });
  return read;
}

/** Skips and reports members that exceed a limit; keeps the others. */
function selectStorable(changes: object) {
  const storable: Record<string, unknown> = {};
  const refused: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const parsed = conversationUpdate.safeParse({ [name]: value as unknown });
    if (parsed.success) Object.assign(storable, parsed.data);
    else refused.push(`/${name} ${parsed.error.issues[0]!.message}`.slice(0, 300));
  }
  return { storable: storable as z.output<typeof conversationUpdate>, refused };
}
