// Every operation of /openapi.json, by every kind of caller and from another organisation. A new route is in both by itself.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  cursorProblems,
  otherTenantProblems,
  pathProblems,
  scopeProblems,
  unboundedParts,
} from '@parley/app-testkit';
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

test('nothing in a request may be without end', async () => {
  expect(await unboundedParts(voice)).toEqual([]);
});

test(
  'each kind of caller may do what it should, and nothing else',
  async () => {
    expect(
      await scopeProblems(voice, {
        makeStreamTicket: 'read',
        deleteConversations: 'delete',
        createExport: 'read',
        registerWebhook: ['write', 'read'],
        changeWebhook: ['write', 'read'],
      }),
    ).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'no path is another one',
  async () => {
    expect(await pathProblems(voice)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'a list refuses an invented cursor',
  async () => {
    expect(await cursorProblems(voice, matrixOf(voice))).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'nothing of another organisation can be seen or changed',
  async () => {
    expect(await otherTenantProblems(voice, matrixOf(voice))).toEqual([]);
  },
  PATIENCE_MS,
);
