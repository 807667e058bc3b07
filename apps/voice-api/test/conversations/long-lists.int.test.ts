// Lists of many conversations: pages have each match once and in order, whether matches are
// frequent or rare, near or far behind (docs/voice-api.md#filters).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startVoiceApi, type VoiceApi } from '../service.ts';

jest.setTimeout(60_000);

const MANY = 3_000;
/** The newest conversations are alike. */
const ALIKE = 400;
const CHANNELS = ['phone', 'web', 'sip', 'chat'];

interface Made {
  readonly id: string;
  readonly status: string;
  readonly channel: string;
  readonly case: string;
  readonly seconds: number;
}

const made: readonly Made[] = Array.from({ length: MANY }, (_, n) => {
  const isAlike = n >= MANY - ALIKE;
  return {
    id: `c${String(n).padStart(4, '0')}`,
    status: !isAlike && n % 7 === 0 ? 'failed' : 'completed',
    channel: isAlike ? 'phone' : CHANNELS[n % 4]!,
    case: n % 371 === 5 ? 'rare' : 'usual',
    seconds: (n * 7_919) % 1_000,
  };
});

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  await service.deps.sql(
    `INSERT INTO conversations (organization_id, id, bot_id, status, channel, metadata, started_at, ended_at, duration_seconds,
       turn_count, revision, transcript_ready, facts, sequence, start_sent, end_sent, counted, settled_at, created_at, updated_at, bytes)
     SELECT 'acme', id, 'bot', status, channel, jsonb_build_object('case', "case"), at, at, seconds, 0, 0, true, '{}', 1, true, true, true, at,
       at, at, 0
     FROM (SELECT *, '2026-01-01T00:00:00Z'::timestamptz + (place || ' seconds')::interval AS at
       FROM jsonb_to_recordset($1::jsonb) AS made (id text, status text, channel text, "case" text, seconds float8, place int)) AS rows`,
    [JSON.stringify(made.map((one, place) => ({ ...one, place })))],
  );
});
afterAll(() => service.stop());

async function everyPage(query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const answer = await service.api.get(`/v1/conversations?${query}&limit=${limit}${cursor}`).expect(200);
    const { items, next_cursor } = (
      answer.body as { data: { items: { id: string }[]; next_cursor: string | null } }
    ).data;
    ids.push(...items.map(({ id }) => id));
    if (next_cursor === null) return ids;
    cursor = `&cursor=${next_cursor}`;
  }
}

const newest = [...made].reverse();

test.each<[string, (one: Made) => boolean]>([
  ['status=completed', ({ status }) => status === 'completed'],
  ['status=failed&channel=web', ({ status, channel }) => status === 'failed' && channel === 'web'],
  ['channel=phone&metadata.case=usual', (one) => one.channel === 'phone' && one.case === 'usual'],
  ['metadata.case=rare', (one) => one.case === 'rare'],
  ['metadata.case=rare&status=completed', (one) => one.case === 'rare' && one.status === 'completed'],
  [
    'metadata.case=rare&channel=web&status=failed',
    (one) => one.case === 'rare' && one.channel === 'web' && one.status === 'failed',
  ],
  ['status=busy&metadata.case=usual', () => false],
  ['duration_min=995', ({ seconds }) => seconds >= 995],
  ['duration_min=500&channel=sip', ({ seconds, channel }) => seconds >= 500 && channel === 'sip'],
])('%s', async (query, isMeant) => {
  const expected = newest.filter(isMeant).map(({ id }) => id);
  expect(await everyPage(query, 50)).toEqual(expected);
  expect((await everyPage(`${query}&order=asc`, 100)).toReversed()).toEqual(expected);
});

test('pages are complete in another order', async () => {
  const ids = await everyPage('status=failed&channel=web&sort=duration_seconds', 30);
  const byDuration = made
    .filter(({ status, channel }) => status === 'failed' && channel === 'web')
    .sort((a, b) => b.seconds - a.seconds || (a.id < b.id ? 1 : -1));
  expect(ids).toEqual(byDuration.map(({ id }) => id));
});
