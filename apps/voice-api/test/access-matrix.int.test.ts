// Every operation of /openapi.json, called with every kind of credential and from another
// organisation. Covers new routes automatically.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  cursorProblems,
  otherTenantProblems,
  pathProblems,
  scopeProblems,
  unboundedParts,
} from '@parley/testing-services';
import { matrixOf } from './matrix.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(120_000);

/** Hundreds of requests, one after the other. */
const PATIENCE_MS = 120_000;

let voice: VoiceApi;
beforeAll(async () => {
  voice = await startVoiceApi();
});
afterAll(() => voice.stop());

test('every part of a request has a limit', async () => {
  expect(await unboundedParts(voice)).toEqual([]);
});

test(
  'each credential may only use the operations of its scopes',
  async () => {
    expect(
      await scopeProblems(voice, {
        makeStreamTicket: 'read',
        deleteConversations: 'delete',
        createExport: 'read',
        setRetention: 'admin',
        setBotRetention: 'admin',
        holdConversation: 'admin',
        releaseConversation: 'admin',
        createImportToken: 'admin',
        listImportTokens: 'admin',
        revokeImportToken: 'admin',
        createPortalLink: ['write', 'read'],
        registerWebhook: ['write', 'read'],
        putWebhook: ['write', 'read'],
        changeWebhook: ['write', 'read'],
      }),
    ).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'no path is treated as another one',
  async () => {
    expect(await pathProblems(voice)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'lists reject invented cursors',
  async () => {
    expect(await cursorProblems(voice, matrixOf(voice))).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'data of another organisation cannot be read or changed',
  async () => {
    expect(await otherTenantProblems(voice, matrixOf(voice))).toEqual([]);
  },
  PATIENCE_MS,
);
