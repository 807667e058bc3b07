// The endpoint table of imports.
import { z } from 'zod';
import { freeForm, pathId } from '@parley/envelopes';
import { post, type Endpoint } from '@parley/server/http';
import { INTAKE } from '../conversations/intake-limit.ts';
import { EVENTS_BODY_BYTES_MAX, intakeResult } from '../conversations/schemas.ts';
import type { Deps } from '../conversations/deps.ts';
import { IMPORTERS, importReport, type Source } from './import-report.ts';

const SOURCES = Object.keys(IMPORTERS) as Source[];
const OPERATIONS: Readonly<Record<Source, string>> = { vapi: 'importVapiCall', retell: 'importRetellCall' };

const imported = z
  .strictObject({
    conversation_id: z
      .string()
      .nullable()
      .describe('Null for a message of another kind, which is not stored'),
    ignored: z.string().optional().describe('The kind of the ignored message'),
    ...intakeResult.partial().shape,
    left_out: z.int().optional().describe('Number of skipped turns: of unknown kinds, or beyond 2,000'),
    refused: z.array(z.string()).optional().describe('After-call members that cannot be stored, and why'),
  })
  .meta({ id: 'ImportResult' });

export function importEndpoints(deps: Deps): Endpoint[] {
  return SOURCES.map((source) =>
    post(
      `/conversations/import/${source}`,
      {
        operationId: OPERATIONS[source],
        stores: true,
        summary: `Import an end-of-call report from ${source}; repeated reports are harmless`,
        scope: 'write',
        boundKeys: true,
        limitClass: INTAKE,
        query: z.strictObject({
          bot_id: pathId().optional().describe("Replaces the vendor's agent id"),
        }),
        body: freeForm(),
        bodyBytesMax: EVENTS_BODY_BYTES_MAX,
        judgesBody: true,
        replies: { 200: imported },
        refusals: ['conversation_deleted', 'bot_not_of_key', 'unprocessable'],
      },
      ({ caller, query, body, doubts, request }) =>
        importReport(deps, caller, { source, body, doubts, botId: query.bot_id }, request),
    ),
  );
}
