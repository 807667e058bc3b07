// Reading conversations: a call, the list with its filters, access.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { at, call, event, reaches, read, send } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

jest.setTimeout(60_000); // eventually() waits up to 20 s on a busy machine

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.2' } });
});
afterAll(() => service.stop());

const list = async (query: string) => {
  const answer = await service.api.get(`/v1/conversations?${query}`).expect(200);
  const { items, next_cursor, has_more } = (
    answer.body as { data: { items: { id: string }[]; next_cursor: string | null; has_more: boolean } }
  ).data;
  return { ids: items.map(({ id }) => id), next_cursor, has_more };
};

describe('a conversation', () => {
  test('is readable from its first event to its end', async () => {
    const [started, ...rest] = call('call-1');
    expect(await send(service, [started!])).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    expect(await read(service, 'call-1')).toMatchObject({
      status: 'in_progress',
      ended_at: null,
      turn_count: 0,
    });
    await send(service, rest);
    const conversation = await reaches(service, 'call-1', 'completed');
    expect(conversation).toEqual({
      id: 'call-1',
      bot_id: 'bot_of_somebody',
      status: 'completed',
      channel: 'phone',
      direction: 'inbound',
      from: '+15550100',
      to: '+15550199',
      language: 'en-US',
      started_at: at(0),
      ended_at: at(60),
      duration_seconds: 60,
      end_reason: 'user_hangup',
      end_detail: null,
      ended_by: 'user',
      turn_count: 3,
      metadata: { customer: 'c-1' },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  test('is processing between its end and its final state', async () => {
    const slow = await startVoiceApi({
      env: { DATABASE_URL: service.databaseUrl, TRANSCRIPT_SETTLE: '3600' },
    });
    await send(slow, call('call-processing'));
    expect(await read(slow, 'call-processing')).toMatchObject({ status: 'processing', duration_seconds: 60 });
    await slow.stop();
  });

  test.each(['no_answer', 'busy', 'canceled'])('has the state %s when nobody took part', async (reason) => {
    await send(service, [event('conversation.ended', `call-${reason}`, 30, { end_reason: reason })]);
    expect(await read(service, `call-${reason}`)).toMatchObject({
      status: reason,
      end_reason: reason,
      started_at: null,
      ended_at: at(30),
      ended_by: 'system',
    });
  });

  test('ends with a fatal error, but not with a non-fatal one', async () => {
    await send(service, [
      event('conversation.started', 'call-error', 0),
      event('conversation.error', 'call-error', 5, { code: 'tts_slow', message: 'late', fatal: false }),
    ]);
    expect(await read(service, 'call-error')).toMatchObject({ status: 'in_progress' });
    await send(service, [
      event('conversation.error', 'call-error', 9, { code: 'llm_down', message: 'no answer' }),
    ]);
    expect(await read(service, 'call-error')).toMatchObject({
      status: 'failed',
      end_reason: 'error',
      ended_at: at(9),
      duration_seconds: 9,
      error: { code: 'llm_down', message: 'no answer' },
    });
  });

  test('has the end details that the runtime reported', async () => {
    await send(service, [
      event('conversation.started', 'call-said', 0, { flow_id: 'booking', flow_version: 3 }),
      event('conversation.ended', 'call-said', 60, {
        duration_seconds: 48.5,
        end_reason: 'transferred',
        end_detail: 'to sales',
        ended_by: 'api',
      }),
    ]);
    expect(await read(service, 'call-said')).toMatchObject({
      duration_seconds: 48.5,
      end_reason: 'transferred',
      end_detail: 'to sales',
      ended_by: 'api',
      flow_id: 'booking',
      flow_version: 3,
    });
  });

  test('is readable by an id that needs encoding in a path', async () => {
    const id = 'tenant|7 "call" ü';
    await send(service, [event('conversation.started', id, 0)]);
    expect(await read(service, id)).toMatchObject({ id });
  });

  test('is readable and deletable by an id that requests may no longer create', async () => {
    const older = 'tenant/7 call?#%';
    await send(service, [event('conversation.started', 'older', 0)]);
    await service.deps.sql(`UPDATE conversations SET id = $1 WHERE id = 'older'`, [older]);
    expect(await read(service, older)).toMatchObject({ id: older });
    await service.api.delete(`/v1/conversations/${encodeURIComponent(older)}`).expect(200);
  });
});

describe('the list', () => {
  test('is newest first, in pages that stay stable with new conversations', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => `page-${index}`);
    for (const id of ids)
      await send(service, [event('conversation.started', id, 0, {}, { bot_id: 'pages' })]);
    const first = await list('bot_id=pages&limit=2');
    expect(first).toMatchObject({ ids: ['page-4', 'page-3'], has_more: true });
    await send(service, [event('conversation.started', 'page-new', 0, {}, { bot_id: 'pages' })]);
    const second = await list(`bot_id=pages&limit=2&cursor=${first.next_cursor}`);
    const third = await list(`bot_id=pages&limit=2&cursor=${second.next_cursor}`);
    expect([second.ids, third.ids, third.has_more]).toEqual([['page-2', 'page-1'], ['page-0'], false]);
  });

  test('has pages with long non-ASCII ids', async () => {
    for (const last of ['a', 'b'])
      await send(service, [
        event('conversation.started', '電'.repeat(254) + last, 0, {}, { bot_id: 'long-ids' }),
      ]);
    const first = await list('bot_id=long-ids&limit=1');
    const second = await list(`bot_id=long-ids&limit=1&cursor=${first.next_cursor}`);
    expect([first.ids[0]!.at(-1), second.ids[0]!.at(-1)]).toEqual(['b', 'a']);
  });

  test('has a filter for every documented member', async () => {
    const bot = { bot_id: 'filters' };
    await send(service, [
      event(
        'conversation.started',
        'f-phone',
        100,
        { channel: 'phone', from: '+4930555', metadata: { plan: 'Gold_1' } },
        bot,
      ),
      event('conversation.started', 'f-web', 200, { channel: 'web', to: 'shop@example.com' }, bot),
      event('conversation.ended', 'f-busy', 300, { end_reason: 'busy' }, bot),
    ]);
    const among = async (query: string) => (await list(`bot_id=filters&${query}`)).ids.sort();
    expect(await among('status=busy')).toEqual(['f-busy']);
    expect(await among('channel=web')).toEqual(['f-web']);
    expect(await among(`from=${encodeURIComponent('+4930555')}`)).toEqual(['f-phone']);
    expect(await among(`started_after=${at(100)}&started_before=${at(200)}`)).toEqual(['f-phone']);
    expect(await among(`started_after=${encodeURIComponent('2026-01-15T14:03:20+02:00')}`)).toEqual([
      'f-web',
    ]);
    expect(await among('q=SHOP')).toEqual(['f-web']);
    expect(await among('q=gold_1')).toEqual(['f-phone']);
    expect(await among('q=goldx1')).toEqual([]); // `_` is literal
    expect(await among('q=f-')).toEqual(['f-busy', 'f-phone', 'f-web']);
    expect(await among('channel=web&status=busy')).toEqual([]);
  });
});

describe('errors', () => {
  test('invalid parameters are rejected', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'status=over',
      'channel=fax',
      'started_after=yesterday',
      'page=2',
      'cursor=xyz',
    ]) {
      const body = (await service.api.get(`/v1/conversations?${query}`).expect(400)).body as unknown;
      expect(body).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST' } });
    }
  });

  test('access needs a credential with the scope, and the own organisation', async () => {
    await send(service, [event('conversation.started', 'mine', 0)]);
    const writer = service.as(await service.issueKey('acme', ['write', 'delete']));
    const other = service.as(await service.issueKey('globex'));
    for (const path of ['/v1/conversations', '/v1/conversations/mine', '/v1/conversations/mine/transcript']) {
      await service.as('va_test_nonsense').get(path).expect(401);
      await writer.get(path).expect(403);
    }
    for (const path of ['/v1/conversations/mine', '/v1/conversations/mine/transcript']) {
      await other.get(path).expect(404);
      await service.api.get(path.replace('mine', 'nobody')).expect(404);
    }
    const body = (await other.get('/v1/conversations').expect(200)).body as unknown;
    expect((body as { data: { items: unknown[] } }).data.items).toEqual([]);
  });

  test('the same id in two organisations makes two conversations', async () => {
    const other = await startOther();
    await send(service, [
      event('conversation.started', 'shared', 0, { channel: 'web' }, { id: 'shared-event' }),
    ]);
    await send(other, [
      event('conversation.started', 'shared', 0, { channel: 'sip' }, { id: 'shared-event' }),
    ]);
    expect([(await read(service, 'shared'))['channel'], (await read(other, 'shared'))['channel']]).toEqual([
      'web',
      'sip',
    ]);
  });

  const startOther = async () => ({ api: service.as(await service.issueKey('globex')) });
});
