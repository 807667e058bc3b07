// Every endpoint while Postgres or Redis hangs, and while the disk is full
// (docs/platform.md#whose-fault-it-is).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  fullDiskProblems,
  invalidRequests,
  OUR_FAULTS,
  stallProblems,
  startFrozenReplicas,
  type FrozenReplicas,
  type ValidRequests,
} from '@parley/testing-services';
import { receiver, type Receiver } from '@parley/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runExports } from '../src/exports/run-exports.ts';
import { matrixOf } from './matrix.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';
import { LOOPBACK } from './webhooks.ts';

/** Half a minute of waiting, and as much work; ten times as long on a busy machine. */
const PATIENCE_MS = 900_000;

let frozen: FrozenReplicas;
let outside: Receiver;
let service: VoiceApi;
let valid: ValidRequests;

beforeAll(async () => {
  outside = await receiver();
  service = await startVoiceApi({ env: LOOPBACK });
  frozen = await startFrozenReplicas(service, (env) => startVoiceApi({ env }));
  valid = validFor(service);
});
afterAll(async () => {
  await frozen.stop();
  await service.stop();
  await outside.close();
});

let made = 0;

function validFor(voice: VoiceApi): ValidRequests {
  const next = (name: string) => `${name}-${(made += 1)}`;
  const report = (name: string) =>
    JSON.parse(
      readFileSync(join(import.meta.dirname, 'conversations/reports', `${name}.json`), 'utf8'),
    ) as object;
  const event = () => ({
    id: next('event'),
    type: 'conversation.started',
    conversation_id: next('made'),
    occurred_at: new Date().toISOString(),
  });
  const matrix = matrixOf(voice);
  let hook: Promise<string> | undefined;
  let retried: Promise<string> | undefined;
  /** A webhook whose receiver answers. */
  const listening = () =>
    (hook ??= (async () => {
      const api = voice.as(await voice.issueKey(OUR_FAULTS));
      const made = await api.post('/v1/webhooks', { url: outside.url, events: ['bot.message'] }).expect(201);
      return (made.body as { data: { id: string } }).data.id;
    })());
  const tokens = new Map<string, Promise<string>>();
  /** What a vendor posts to the path with its import token. */
  const fromVendor = (source: string, sample: string) => async (path: string) => {
    const token = tokens.get(source) ?? createToken(source);
    tokens.set(source, token);
    const body = JSON.stringify(report(sample));
    return { path: `${path.replace('{import_token}', await token)}?bot_id=ours`, body };
  };
  const linkTo = async (id: string) => {
    const api = voice.as(await voice.issueKey(OUR_FAULTS));
    await api.put(`/v1/applications/${id}`, { name: 'Shop' });
    const made = await api.post(`/v1/applications/${id}/portal-links`, {}).expect(201);
    return (made.body as { data: { token: string } }).data.token;
  };
  let link: Promise<string> | undefined;
  const createToken = async (source: string) => {
    const api = voice.as(await voice.issueKey(OUR_FAULTS));
    const made = await api.post('/v1/import-tokens', { name: source, source }).expect(201);
    return (made.body as { data: { token: string } }).data.token;
  };
  return {
    ...matrix,
    more: {
      takeConversationEvents: () => ({ events: [event()] }),
      updateConversations: { filter: { bot_id: 'none' }, changes: { tags: ['seen'] } },
      deleteConversations: { filter: { bot_id: 'none' } },
      importVapiCall: report('vapi-end-of-call'),
      importRetellCall: report('retell-call-ended'),
      importElevenLabsCall: report('elevenlabs-transcription'),
      importLiveKitCall: report('livekit-room-finished'),
      createBot: () => ({ name: next('bot') }),
      updateBot: () => ({ name: next('bot') }),
      registerWebhook: () => ({ url: `https://8.8.8.8/${next('registered')}`, events: ['*'] }),
      changeWebhook: () => ({ description: next('hook') }),
      rotateWebhookSecret: { grace_seconds: 0 },
      createApiKey: () => ({ name: next('key'), scopes: ['read'] }),
      putApiKey: () => ({ name: next('key'), scopes: ['read'] }),
      putBot: () => ({ name: next('bot') }),
      putWebhook: () => ({ url: `https://8.8.8.8/${next('put')}`, events: ['*'] }),
    },
    queries: {
      getFlowSteps: '?flow_id=none&version=1',
      listFlowTurns: '?flow_id=none',
      getFlowAnswers: '?flow_id=none&version=1',
      importRetellCall: '?bot_id=ours',
      importLiveKitCall: '?bot_id=ours',
    },
    once: ['rotateApiKey'],
    prepared: {
      receiveVapiCall: fromVendor('vapi', 'vapi-end-of-call'),
      receiveRetellCall: fromVendor('retell', 'retell-call-ended'),
      receiveElevenLabsCall: fromVendor('elevenlabs', 'elevenlabs-transcription'),
      receiveLiveKitCall: fromVendor('livekit', 'livekit-room-finished'),
      // An organisation may have fifty.
      createImportToken: async (path) => {
        await voice.deps.sql(
          `UPDATE import_tokens SET revoked_at = now() WHERE organization_id = $1 AND name = 'made'`,
          [OUR_FAULTS],
        );
        return { path, body: JSON.stringify({ name: 'made', source: 'vapi' }) };
      },
      getPortal: async (path) => ({
        path,
        headers: { authorization: `Bearer ${await (link ??= linkTo('portal'))}` },
      }),
      testWebhook: async (path) => ({ path: path.replace('{webhook_id}', await listening()), body: '{}' }),
      retryDelivery: async (path) => {
        const webhook = await (retried ??= matrix.resources['webhooks']!(OUR_FAULTS, {}));
        const delivery = await matrix.resources['deliveries']!(OUR_FAULTS, { webhooks: webhook });
        // As a worker leaves it that has tried for the last time.
        await voice.deps.sql(
          `UPDATE webhook_deliveries SET status = 'exhausted', next_attempt_at = NULL, finished_at = now() WHERE id = $1`,
          [delivery],
        );
        return { path: path.replace('{webhook_id}', webhook).replace('{delivery_id}', delivery) };
      },
      // No more than five may be under way.
      createExport: async (path) => {
        await runExports(voice.deps);
        return { path, body: '{}' };
      },
    },
  };
}

test(
  'every endpoint has a valid request, or a reason why not',
  async () => {
    expect(await invalidRequests(service, valid)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Postgres stands still for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, frozen, 'postgres')).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Redis stands still for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, frozen, 'redis')).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'the disk of Postgres is full: 503 with Retry-After where something is written',
  async () => {
    const { problems, refused } = await fullDiskProblems(service, valid);
    expect(problems).toEqual([]);
    expect(refused).toBeGreaterThan(5);
  },
  PATIENCE_MS,
);
