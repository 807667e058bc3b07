// The endpoint table of imports.
import { z } from 'zod';
import { freeForm, pathId } from '@parley/envelopes';
import { post, type Endpoint } from '@parley/http';
import { INTAKE } from '../conversations/intake-limit.ts';
import { EVENTS_BODY_BYTES_MAX, intakeResult } from '../conversations/schemas.ts';
import type { Deps } from '../deps.ts';
import { IMPORTERS, importReport, type Source } from './import-report.ts';

const SOURCES = Object.keys(IMPORTERS) as Source[];
const OPERATIONS: Readonly<Record<Source, string>> = { vapi: 'importVapiCall', retell: 'importRetellCall' };

const imported = z
  .strictObject({
    conversation_id: z
      .string()
      .nullable()
      .describe('Null: a message of another kind, of which nothing is kept'),
    ignored: z.string().optional().describe('Which kind'),
    ...intakeResult.partial().shape,
    left_out: z.int().optional().describe('Turns of a kind that is not known, or beyond 2,000'),
    refused: z
      .array(z.string())
      .optional()
      .describe('Members of what is known after the call that cannot be kept, and why'),
  })
  .meta({ id: 'ImportResult' });

export function importEndpoints(deps: Deps): Endpoint[] {
  return SOURCES.map((source) =>
    post(
      `/conversations/import/${source}`,
      {
        operationId: OPERATIONS[source],
        stores: true,
        summary: `Take an end-of-call report as ${source} sends it; repeated ones are harmless`,
        scope: 'write',
        boundKeys: true,
        limitClass: INTAKE,
        query: z.strictObject({
          bot_id: pathId().optional().describe("Instead of the vendor's id of the agent"),
        }),
        body: freeForm(),
        bodyBytesMax: EVENTS_BODY_BYTES_MAX,
        judgesBody: true,
        replies: { 200: imported },
        refusals: ['conversation_deleted', 'bot_not_of_key'],
      },
      ({ caller, query, body, doubts, request }) =>
        importReport(deps, caller, { source, body, doubts, botId: query.bot_id }, request),
    ),
  );
}
