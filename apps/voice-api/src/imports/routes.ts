// The endpoint table of imports and import tokens.
import { z } from 'zod';
import { freeForm, pathId, voiceApiDialect, type Code } from '@parley/envelopes';
import { creates, del, get, post, type Endpoint } from '@parley/server/http';
import { INTAKE } from '../conversations/intake-limit.ts';
import { EVENTS_BODY_BYTES_MAX, intakeResult } from '../conversations/schemas.ts';
import type { Deps } from './deps.ts';
import { importReport } from './import-report.ts';
import {
  createImportToken,
  importToken,
  importTokenParams,
  importTokenQuery,
  isTokenInForce,
  issuedImportToken,
  listImportTokens,
  newImportToken,
  revokedImportToken,
  revokeImportToken,
} from './import-tokens.ts';
import { reimport, reimported, reimportRequest } from './reimport.ts';
import { SOURCES, type Source } from './sources.ts';
import { importTokenCredential } from './token-credential.ts';

/** Operation ids have a vendor's name in this form. */
const NAMES: Readonly<Record<Source, string>> = {
  vapi: 'Vapi',
  retell: 'Retell',
  elevenlabs: 'ElevenLabs',
  livekit: 'LiveKit',
};

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
  return [
    ...SOURCES.flatMap((source) => reportEndpoints(deps, source)),
    post(
      '/conversations/reimport',
      {
        operationId: 'reimportConversations',
        summary: 'Apply stored reports of vendors again, after a mapping was improved',
        scope: 'write',
        body: reimportRequest,
        replies: { 200: reimported },
        refusals: ['not_found'],
      },
      ({ caller, body, request }) => reimport(deps, caller, body, request),
    ),
    ...tokenEndpoints(deps),
  ];
}

/** The import of a vendor, for a key and for the vendor itself. */
function reportEndpoints(deps: Deps, source: Source): Endpoint[] {
  const path = `/conversations/import/${source}`;
  const usual = {
    stores: true,
    scope: 'write',
    limitClass: INTAKE,
    query: z.strictObject({
      bot_id: pathId().optional().describe("Replaces the vendor's agent id"),
    }),
    body: freeForm(),
    bodyBytesMax: EVENTS_BODY_BYTES_MAX,
    judgesBody: true,
    replies: { 200: imported },
  } as const;
  const refusals: Code[] = ['conversation_deleted', 'bot_not_of_key', 'unprocessable'];
  return [
    post(
      path,
      {
        ...usual,
        operationId: `import${NAMES[source]}Call`,
        summary: `Import a report of a call from ${source}; repeated reports are harmless`,
        boundKeys: true,
        refusals,
      },
      ({ caller, query, body, doubts, request }) =>
        importReport(deps, caller, { source, body, doubts, botId: query.bot_id }, request),
    ),
    post(
      `${path}/{import_token}`,
      {
        ...usual,
        operationId: `receive${NAMES[source]}Call`,
        summary: `For ${source} itself: like the import, with an import token in the path instead of a key`,
        params: z.strictObject({ import_token: z.string().max(64) }),
        credential: importTokenCredential(deps, source),
        refusals,
      },
      ({ caller, query, body, doubts, request }) =>
        importReport(deps, caller, { source, body, doubts, botId: query.bot_id }, request),
    ),
  ];
}

function tokenEndpoints(deps: Deps): Endpoint[] {
  return [
    creates(
      '/import-tokens',
      {
        operationId: 'createImportToken',
        summary: 'Create a token for the reports of a vendor; only this answer contains it',
        scope: 'admin',
        body: newImportToken,
        replies: { 201: issuedImportToken },
        refusals: ['limit_exceeded'],
        secretInForce: isTokenInForce,
      },
      ({ caller, body, transaction }) => createImportToken(deps, caller, body, transaction),
    ),
    get(
      '/import-tokens',
      {
        operationId: 'listImportTokens',
        summary: 'List the import tokens that are not revoked, newest first',
        scope: 'admin',
        query: importTokenQuery,
        replies: { 200: voiceApiDialect.pageSchema(importToken) },
      },
      ({ caller, query }) => listImportTokens(deps, caller, query),
    ),
    del(
      '/import-tokens/{import_token_id}',
      {
        operationId: 'revokeImportToken',
        summary: 'Revoke an import token immediately',
        scope: 'admin',
        params: importTokenParams,
        replies: { 200: revokedImportToken },
      },
      ({ caller, params }) => revokeImportToken(deps, caller, params.import_token_id),
    ),
  ];
}
