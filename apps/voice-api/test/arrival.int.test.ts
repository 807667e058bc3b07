// Sends the same events in every order, over HTTP and the queue, singly and in batches. The
// conversation, its one ending webhook and the analytics must agree
// (docs/voice-api.md#settling-and-the-reaper).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Scope } from '@parley/server/http';
import { inTransaction } from '@parley/server/postgres';
import { settleDue } from '../src/conversations/settle-due.ts';
import { acceptEvents, acceptMessages } from '../src/conversations/accept-events.ts';
import { event, read, recordEverything, send, sentEvents, type WireEvent } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

jest.setTimeout(300_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  await recordEverything(service);
});
afterAll(() => service.stop());

type Story = (id: string) => WireEvent[];
const channel = { channel: 'phone' };
const hello = { turn_index: 0, text: 'Hello', metrics: { e2e_ms: 400 } };

const stories: Readonly<Record<string, { readonly events: Story; readonly status: string }>> = {
  'a failure before the end': {
    events: (id) => [
      event('conversation.started', id, 0, channel),
      event('bot.message', id, 2, hello),
      event('conversation.error', id, 5, { code: 'asr_down', message: 'no ears' }),
      event('conversation.ended', id, 6, { end_reason: 'bot_hangup' }),
      event('transcript.ready', id, 7),
    ],
    status: 'failed',
  },
  'a failure after all was done': {
    events: (id) => [
      event('conversation.started', id, 0, channel),
      event('bot.message', id, 2, hello),
      event('conversation.ended', id, 6, { end_reason: 'user_hangup', metadata: { crm: 'a', plan: 'gold' } }),
      event('transcript.ready', id, 7, {
        metadata: { crm: 'b' },
        cost: { currency: 'EUR', total: 0.5 },
        recording_url: 'https://example.com/call.wav',
      }),
      event('conversation.error', id, 8, { code: 'crm_down', message: 'no notes' }),
    ],
    status: 'completed',
  },
  'two ends': {
    events: (id) => [
      event('conversation.started', id, 0, channel),
      event('bot.message', id, 2, hello),
      event('conversation.ended', id, 4, { end_reason: 'silence' }),
      event('conversation.ended', id, 9, { end_reason: 'a word of its own' }),
    ],
    status: 'completed',
  },
};

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((first, at) =>
    permutations(all.filter((_, index) => index !== at)).map((rest) => [first, ...rest]),
  );
}

const caller = {
  organizationId: 'acme',
  kind: 'api_key',
  principal: 'key',
  scopes: new Set<Scope>(['write']),
} as const;
/** Single events bypass the HTTP rate limit, as there are thousands. */
const overHttp = (events: readonly WireEvent[]) =>
  events.length > 1 ? send(service, events) : acceptEvents(service.deps, caller, events, {});
async function overTheQueue(events: readonly WireEvent[]): Promise<void> {
  const context = {
    organizationId: 'acme',
    requestId: 'queue',
    traceparent: null,
    afterCommit: () => undefined,
  };
  const messages = events.map((payload) => ({ payload, context }));
  await inTransaction(service.deps.pool, (sql) => acceptMessages(service.deps, sql, messages as never));
}

test.each(Object.entries(stories))('%s', async (name, { events, status }) => {
  const bot_id = `bot of ${name}`;
  const ids: string[] = [];
  const orders = permutations(events('').map((_, index) => index));
  for (const [nth, order] of orders.entries()) {
    for (const way of [0, 1, 2, 3]) {
      const take = way < 2 ? overHttp : overTheQueue;
      const id = `${name} ${nth} ${way}`.replaceAll(' ', '-');
      ids.push(id);
      const story = events(id).map((one) => ({ ...one, bot_id }));
      const arriving = order.map((index) => story[index]!);
      if (way % 2 === 0) await take(arriving);
      else for (const one of arriving) await take([one]);
    }
  }
  while ((await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 })) > 0);

  const seen = new Set<string>();
  for (const id of ids) {
    const one = await read(service, id);
    expect(one['status']).toBe(status);
    const { id: _id, created_at: _created, updated_at: _updated, ...told } = one;
    const { duration_seconds, end_reason, error, metadata } = one;
    const ending = (await sentEvents(service, id)).filter(
      ({ event: type, data }) =>
        type === 'conversation.ended' || (data['error'] as { fatal?: boolean } | undefined)?.fatal === true,
    );
    expect(ending).toHaveLength(1);
    const end =
      status === 'completed'
        ? { duration_seconds, end_reason }
        : { error: { ...(error as object), fatal: true } };
    expect(ending[0]!.data).toMatchObject({ ...end, metadata });
    seen.add(JSON.stringify(told));
  }
  expect(seen.size).toBe(1);

  const query = `from=2026-01-15&to=2026-01-16&bot_id=${encodeURIComponent(bot_id)}&group_by=status`;
  const answer = await service.api.get(`/v1/analytics/usage?${query}`).expect(200);
  const { totals } = (answer.body as { data: { totals: object } }).data;
  const counted = { conversations: ids.length, turns: ids.length };
  expect(totals).toMatchObject({ ...counted, groups: [{ ...counted, key: status }] });
});

test('a late turn adds to the figures without counting a conversation', async () => {
  const bot_id = 'bot with late turns';
  const story = stories['two ends']!.events('late').map((one) => ({ ...one, bot_id }));
  await send(service, story);
  while ((await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 })) > 0);
  const late = { turn_index: 3, text: 'Goodbye', interrupted: true, metrics: { e2e_ms: 900 } };
  await send(service, [event('bot.message', 'late', 3, late, { bot_id })]);
  // The same turn.
  await send(service, [event('bot.message', 'late', 3.5, { ...late, text: 'Bye' }, { bot_id })]);
  const query = `from=2026-01-15&to=2026-01-16&bot_id=${encodeURIComponent(bot_id)}`;
  const usage = await service.api.get(`/v1/analytics/usage?${query}`).expect(200);
  const { totals } = (usage.body as { data: { totals: object } }).data;
  expect(totals).toMatchObject({ conversations: 1, turns: 2 });
  const performance = await service.api.get(`/v1/analytics/performance?${query}`).expect(200);
  expect(performance.body).toMatchObject({ data: { totals: { latency: { e2e: { count: 2, max: 900 } } } } });
});
