// Every endpoint while Postgres or Redis hangs, and while the disk is full
// (docs/platform.md#whose-fault-it-is).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fullDiskProblems, invalidRequests, stallProblems, type ValidRequests } from '@parley/app-testkit';
import { createTestDatabase, tcpProxy, testQueue, type TcpProxy } from '@parley/testkit';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matrixOf } from './matrix.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

/** Each endpoint takes two seconds at most, twelve times; ten times as long on a busy machine. */
const PATIENCE_MS = 900_000;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let postgres: TcpProxy;
let redis: TcpProxy;
let service: VoiceApi;
let valid: ValidRequests;

beforeAll(async () => {
  database = await createTestDatabase('voice-api');
  postgres = await tcpProxy(database.url);
  redis = await tcpProxy(testQueue().url);
  const env = { DATABASE_URL: postgres.url, QUEUE_URL: redis.url };
  service = await startVoiceApi({ env });
  valid = validFor(service);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([postgres.close(), redis.close()]);
  await database.drop();
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
  return {
    ...matrixOf(voice),
    more: {
      takeConversationEvents: () => ({ events: [event()] }),
      updateConversations: { filter: { bot_id: 'none' }, changes: { tags: ['seen'] } },
      deleteConversations: { filter: { bot_id: 'none' } },
      importVapiCall: report('vapi-end-of-call'),
      importRetellCall: report('retell-call-ended'),
      createBot: () => ({ name: next('bot') }),
      updateBot: () => ({ name: next('bot') }),
      registerWebhook: () => ({ url: `https://8.8.8.8/${next('registered')}`, events: ['*'] }),
      changeWebhook: () => ({ description: next('hook') }),
      rotateWebhookSecret: { grace_seconds: 0 },
      createApiKey: () => ({ name: next('key'), scopes: ['read'] }),
    },
    queries: { getFlowSteps: '?flow_id=none&version=1', importRetellCall: '?bot_id=ours' },
    once: ['rotateApiKey'],
    without: {
      retryDelivery: 'it needs a delivery that a worker is done with',
      testWebhook: 'it waits for a receiver outside of this machine',
      createExport: 'no more than five may be under way, and no worker writes them here',
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
    expect(await stallProblems(service, valid, postgres)).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'Redis stands still for two seconds: 2xx, or 503 with Retry-After',
  async () => {
    expect(await stallProblems(service, valid, redis)).toEqual([]);
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
