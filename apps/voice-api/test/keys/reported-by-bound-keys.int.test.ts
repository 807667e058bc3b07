// Events reported by keys that are bound to bots, and what they get back
// (docs/platform.md#bound-keys).
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { ApiClient } from '@parley/testing-services';
import { eventually } from '@parley/testing';
import { call, event } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';
import { named, twoBots, type Items, type TwoBots } from './two-bots.ts';

/** A busy machine takes ten times as long as an idle one. */
jest.setTimeout(60_000);

let voice: VoiceApi;
let world: TwoBots;
beforeAll(async () => {
  voice = await startVoiceApi();
});
afterAll(() => voice.stop());
beforeEach(async () => {
  world = await twoBots(voice);
});

const report = async (events: object[]) =>
  dataOf<{ accepted: number; rejected: { index: number; code: string; message: string }[] }>(
    await world.bound.post('/v1/conversations/events', { events }).expect(200),
  );
const codesOf = ({ rejected }: Awaited<ReturnType<typeof report>>) => rejected.map(({ code }) => code);

test('an own conversation continues without bot_id and cannot move to another bot', async () => {
  const { admin, ours, theirs } = world;
  const [started, ...rest] = call('goes-on', ours);
  const bare = rest.map(({ bot_id: _, ...one }) => one);
  expect(await report([started!, ...bare])).toMatchObject({ accepted: 6, rejected: [] });
  const later = event('speech.final', 'goes-on', 8, { turn_index: 3, text: 'And?' });
  expect(await report([later])).toMatchObject({ accepted: 1 });
  const given = event('speech.final', 'goes-on', -5, { turn_index: 4, text: 'Mine.' }, { bot_id: theirs });
  expect(codesOf(await report([given]))).toEqual(['BOT_NOT_OF_KEY']);
  expect(dataOf(await admin.get('/v1/conversations/goes-on'))).toMatchObject({ bot_id: ours });
});

test('conversations without a bot or of another bot are rejected alike', async () => {
  const { admin, ours, theirs } = world;
  const said = (id: string, more = {}) => event('speech.final', id, 1, { turn_index: 0, text: 'Hi.' }, more);
  await admin.post('/v1/conversations/events', { events: [said('nobodys')] }).expect(200);
  await admin.post('/v1/conversations/events', { events: call('others', theirs) }).expect(200);
  const mine = { bot_id: ours };
  const answers = [
    await report([said('nobodys', mine)]),
    await report([said('others', mine)]),
    await report([said('others')]),
    await report([said('unheard-of')]),
  ];
  expect(answers.map(codesOf)).toEqual(Array(4).fill(['BOT_NOT_OF_KEY']));
  expect(new Set(answers.map(({ rejected }) => rejected[0]!.message)).size).toBe(1);
  expect(dataOf(await admin.get('/v1/conversations/nobodys'))).toMatchObject({ bot_id: null });
  expect(dataOf(await admin.get('/v1/conversations/others'))).toMatchObject({ bot_id: theirs });
  await admin.get('/v1/conversations/unheard-of').expect(404);
  // A rejected event leaves no trace: it is accepted once it names a bot.
  const again = said('unheard-of');
  expect(codesOf(await report([again]))).toEqual(['BOT_NOT_OF_KEY']);
  expect(await report([{ ...again, bot_id: ours }])).toMatchObject({ accepted: 1 });
});

test('a webhook hides the deliveries from before it was restricted', async () => {
  const { admin, bound, ours, theirs, converse, webhookOf, deliveriesBy, exhaust } = world;
  const webhook = await webhookOf([theirs]);
  await converse(theirs);
  await admin.patch(`/v1/webhooks/${webhook}`, { bot_ids: [ours] }).expect(200);
  const [before] = await deliveriesBy(admin, webhook);
  expect(await deliveriesBy(bound, webhook)).toEqual([]);
  const at = `/v1/webhooks/${webhook}/deliveries/${String(before!['id'])}`;
  await bound.get(at).expect(404);
  await bound.post(`${at}/retry`).expect(404);
  const stretch = {
    since: new Date(Date.now() - 60_000),
    until: new Date(Date.now() + 60_000),
    dry_run: true,
  };
  await exhaust(webhook);
  const replay = (api: ApiClient) => api.post(`/v1/webhooks/${webhook}/replay`, stretch).expect(202);
  expect(dataOf(await replay(bound))).toMatchObject({ matched: 0 });
  expect(dataOf(await replay(admin))).toMatchObject({ matched: expect.any(Number) });
  await converse(ours);
  expect(await deliveriesBy(bound, webhook)).not.toEqual([]);
  await bound.post(`/v1/webhooks/${webhook}/test`, {}).expect(200);
  expect(await deliveriesBy(bound, webhook)).toContainEqual(expect.objectContaining({ kind: 'test' }));
});

test('the position of the feed advances past events of other bots', async () => {
  const { bound, ours, theirs, converse } = world;
  await converse(theirs);
  const read = async (after = '') =>
    dataOf<{ items: unknown[]; next_after: string }>(await bound.get(`/v1/events${after}`).expect(200));
  const first = await read();
  expect(first.items).toEqual([]);
  expect(first.next_after).not.toMatch(/^0-/);
  const own = await converse(ours);
  // The feed ends at open transactions, which other tests may have.
  await eventually(async () =>
    JSON.stringify((await read(`?after=${first.next_after}`)).items).includes(own),
  );
});

test('a rotated key stays bound, and a bound admin key does not count as the last one', async () => {
  const organizationId = named('bound');
  const api = voice.as(await voice.issueKey(organizationId));
  const issue = (body: object) => api.post('/v1/api-keys', { name: 'x', scopes: ['admin'], ...body });
  const { id } = dataOf<{ id: string }>(await issue({ bot_ids: ['a', 'b'] }).expect(201));
  const next = dataOf<{ bot_ids: string[]; key: string }>(
    await api.post(`/v1/api-keys/${id}/rotate`, { grace_seconds: 60 }).expect(201),
  );
  expect(next.bot_ids).toEqual(['a', 'b']);
  expect(dataOf<Items>(await voice.as(next.key).get('/v1/bots').expect(200)).items).toEqual([]);
  const me = dataOf<{ id: string }>(await api.get('/v1/api-keys/me').expect(200));
  const last = await api.delete(`/v1/api-keys/${me.id}`).expect(409);
  expect(last.body).toMatchObject({ error: { code: 'CONFLICT' } });
  await issue({ bot_ids: ['a', 'a'] }).expect(400);
  await issue({ bot_ids: [''] }).expect(400);
  await issue({ bot_ids: Array.from({ length: 101 }, (_, at) => `bot-${at}`) }).expect(400);
});
