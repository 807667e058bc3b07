// POST /v1/conversations/reimport: applies stored reports again, after a mapping was improved
// (docs/voice-api.md#raw-reports).
import { z } from 'zod';
import { AppError, decodeCursor, encodeCursor, pathId } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Trace } from '@parley/jobs';
import type { Deps } from './deps.ts';
import { applyReports } from './import-report.ts';
import { listImported } from './raw-reports.ts';
import { SOURCES } from './sources.ts';

/** Conversations of one request: below its time-out on a busy database. */
const CONVERSATIONS_MAX = 25;
const CURSOR_CHARACTERS_MAX = 1_200;

export const reimportRequest = z
  .strictObject({
    conversation_id: pathId().optional(),
    source: z.enum(SOURCES).optional(),
    cursor: z.string().max(CURSOR_CHARACTERS_MAX).optional().describe('`next_cursor` of the previous answer'),
  })
  .meta({ id: 'Reimport' });

export const reimported = z
  .strictObject({
    conversations: z.int().describe('Conversations whose reports were applied'),
    changed: z.int().describe('Those of them for which the reports say something new'),
    failed: z
      .array(z.strictObject({ conversation_id: z.string(), message: z.string() }))
      .describe('Conversations whose reports cannot be applied, and why'),
    next_cursor: z.string().nullable().describe('Set if there may be more: repeat with this `cursor`'),
  })
  .meta({ id: 'Reimported' });

export async function reimport(
  deps: Deps,
  caller: Caller,
  { conversation_id, source, cursor }: z.output<typeof reimportRequest>,
  trace: Trace,
) {
  const { organizationId } = caller;
  const after = cursor === undefined ? null : decodeCursor(cursor, 'text')[0];
  const filter = { conversationId: conversation_id ?? null, source: source ?? null, after };
  const found = await listImported(deps.sql, organizationId, filter, CONVERSATIONS_MAX);
  if (conversation_id !== undefined && found.length === 0 && after === null)
    throw new AppError('not_found', `Conversation "${conversation_id}" has no stored reports.`);
  let changed = 0;
  const failed: { conversation_id: string; message: string }[] = [];
  for (const { id, sources } of found) {
    try {
      let isChanged = false;
      for (const each of sources) {
        const call = { organizationId, conversationId: id, source: each };
        if ((await applyReports(deps, caller, call, trace)).isChanged) isChanged = true;
      }
      if (isChanged) changed += 1;
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'unavailable') throw error;
      failed.push({ conversation_id: id, message: error.message });
    }
  }
  const next_cursor = found.length < CONVERSATIONS_MAX ? null : encodeCursor([found.at(-1)!.id]);
  return { conversations: found.length - failed.length, changed, failed, next_cursor };
}
