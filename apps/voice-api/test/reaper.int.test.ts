// The reaper, and other effects of time on conversations. Moves the clock of the service.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Scope } from '@parley/server/http';
import { settleDue } from '../src/conversations/settle-due.ts';
import { acceptEvents } from '../src/conversations/accept-events.ts';
import type { Deps } from '../src/deps.ts';
import { at, call, event, read, readTranscript, recordEverything, send, sentEvents } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

jest.setTimeout(60_000); // eventually() waits up to 20 s on a busy machine

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  await recordEverything(service);
});
afterAll(() => service.stop());

const MINUTE = 60_000;

/** Runs a round of the sweeper later. */
function round(laterMs: number, deps: Deps = service.deps): Promise<number> {
  return settleDue({ ...deps, clock: () => Date.now() + laterMs });
}

test('ends a conversation five minutes after its maximum duration, not before', async () => {
  const bot = await service.api.post('/v1/bots', { name: 'Brief', max_duration_seconds: 60 }).expect(201);
  const { id } = (bot.body as { data: { id: string } }).data;
  await send(service, call('forgotten', id).slice(0, 4));
  await round(5.9 * MINUTE);
  expect(await read(service, 'forgotten')).toMatchObject({ status: 'in_progress' });
  await round(6.1 * MINUTE);
  expect(await read(service, 'forgotten')).toMatchObject({
    status: 'failed',
    end_reason: 'timed_out',
    ended_by: 'system',
    error: { code: 'timed_out' },
    turn_count: 2,
    ended_at: at(4), // the time of the last event
    duration_seconds: 4,
  });
  expect(await readTranscript(service, 'forgotten')).toMatchObject({ status: 'ready' });
  await send(service, [event('conversation.ended', 'forgotten', 60)]); // too late
  await round(60 * MINUTE);
  const sent = await sentEvents(service, 'forgotten');
  expect(sent.map(({ event: type }) => type).slice(-2)).toEqual(['conversation.error', 'transcript.ready']);
  expect(sent.at(-2)!.data).toMatchObject({ error: { code: 'timed_out', fatal: true } });
  expect(await read(service, 'forgotten')).toMatchObject({ status: 'failed' });
  const ignored = await service.deps.sql(
    `SELECT type, data FROM conversation_events WHERE conversation_id = 'forgotten' AND ignored`,
  );
  expect(ignored).toEqual([{ type: 'conversation.ended', data: {} }]);
});

test('uses half an hour for unknown bots and conversations that never started', async () => {
  await send(service, [
    event('speech.final', 'stray', 0, { turn_index: 0, text: 'hello?' }, { bot_id: 'bot_elsewhere' }),
    event('conversation.started', 'lonely', 0),
  ]);
  await round(34 * MINUTE);
  expect(await read(service, 'stray')).toMatchObject({ status: 'initiated', bot_id: 'bot_elsewhere' });
  await round(36 * MINUTE);
  for (const id of ['stray', 'lonely']) expect(await read(service, id)).toMatchObject({ status: 'failed' });
});

test('counts from the start if that is later than the first report', async () => {
  await send(service, [event('speech.interim', 'rings', 0, { turn_index: 0, text: '…' })]);
  const later = Date.now() + 20 * MINUTE;
  const started = event(
    'conversation.started',
    'rings',
    0,
    {},
    { occurred_at: new Date(later).toISOString() },
  );
  const caller = {
    organizationId: 'acme',
    kind: 'api_key',
    principal: 'key',
    scopes: new Set<Scope>(['write']),
  } as const;
  await acceptEvents({ ...service.deps, clock: () => later }, caller, [started], {});
  await round(50 * MINUTE);
  expect(await read(service, 'rings')).toMatchObject({ status: 'in_progress' });
  await round(56 * MINUTE);
  expect(await read(service, 'rings')).toMatchObject({ status: 'failed' });
});

test('settles ended conversations instead of reaping them', async () => {
  await send(service, call('normal'));
  expect(await read(service, 'normal')).toMatchObject({ status: 'processing' });
  await round(4_000);
  expect(await read(service, 'normal')).toMatchObject({ status: 'processing' });
  await round(6_000);
  expect(await read(service, 'normal')).toMatchObject({ status: 'completed', end_reason: 'user_hangup' });
});

test('ends each conversation once with several concurrent sweepers', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `crowd-${index}`);
  await send(
    service,
    ids.map((id) => event('conversation.started', id, 0)),
  );
  const other = await startVoiceApi({ env: { DATABASE_URL: service.databaseUrl } });
  const rounds = () => Promise.all([round(36 * MINUTE), round(36 * MINUTE, other.deps), round(36 * MINUTE)]);
  const [one, two] = [await rounds(), await rounds()];
  await other.stop();
  expect([...one, ...two].reduce((sum, count) => sum + count, 0)).toBe(250);
  const rows = await service.deps.sql<{ body: string }>(
    `SELECT body FROM webhook_events WHERE conversation_id LIKE 'crowd-%'`,
  );
  const errors = rows.filter(({ body }) => body.includes('"event":"conversation.error"'));
  expect(errors).toHaveLength(250);
});
