// Large customer data is never gathered beyond a byte budget (docs/platform.md#byte-budgets).
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { settleDue } from '../src/conversations/settle-due.ts';
import type { Deps } from '../src/deps.ts';
import { event, read, readTranscript, recordEverything, send, sentEvents } from './events.ts';
import { startVoiceApi, type VoiceApi } from './service.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
  await recordEverything(service);
});
afterAll(() => service.stop());

/** Explicit type for loops that continue from their own answers. */
interface Answer {
  readonly text: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const MINUTE = 60_000;
const KIB = 1_024;

/** Sends turns of `bytes` each, alternately of bot and user. */
async function talk(
  conversationId: string,
  turns: number,
  bytes: number,
  more: object[] = [],
): Promise<void> {
  const said = Array.from({ length: turns }, (_, index) =>
    event(index % 2 === 0 ? 'speech.final' : 'bot.message', conversationId, index, {
      turn_index: index,
      text: 'x'.repeat(bytes - 40),
    }),
  );
  await send(service, [event('conversation.started', conversationId, 0), ...said, ...more]);
}

/** The service with its clock moved, recording the largest answer of Postgres. */
function watched(laterMs: number) {
  const { deps } = service;
  const seen = { most: 0 };
  const connect = async () => {
    const client = await deps.pool.connect();
    const watching = Object.create(client) as typeof client;
    const query = async (...given: unknown[]) => {
      const asked = client.query as (...all: unknown[]) => Promise<{ rows: unknown[] }>;
      const answer = await asked.apply(client, given);
      seen.most = Math.max(seen.most, JSON.stringify(answer.rows).length);
      return answer;
    };
    return Object.assign(watching, { query, release: (error?: Error) => client.release(error) });
  };
  const pool = Object.assign(Object.create(deps.pool) as typeof deps.pool, { connect });
  return { seen, deps: { ...deps, pool, clock: () => deps.clock() + laterMs } as Deps };
}

test('the reaper reads large transcripts within its byte budget', async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `large-${index}`);
  for (const id of ids) await talk(id, 40, 10 * KIB);
  const small = Array.from({ length: 30 }, (_, index) => `small-${index}`);
  for (const id of small) await talk(id, 2, 100);
  const budget = 100 * KIB; // a quarter of one of them
  const { seen, deps } = watched(36 * MINUTE);
  expect(await settleDue(deps, budget)).toBe(ids.length + small.length);
  expect(seen.most).toBeGreaterThan(budget / 2);
  expect(seen.most).toBeLessThanOrEqual(budget);
  const [ready] = (await sentEvents(service, 'large-3')).filter(
    ({ event: type }) => type === 'transcript.ready',
  );
  expect(ready!.data).toMatchObject({
    turn_count: 40,
    sha256: (await readTranscript(service, 'large-3')).sha256,
  });
});

test('a worker reaps transcripts larger than its heap', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `heap-${index}`);
  await send(
    service,
    ids.map((id) => event('conversation.started', id, 0)),
  );
  await service.deps.sql(
    `INSERT INTO turns (organization_id, conversation_id, turn_index, role, text, interrupted, occurred_at, event_id, bytes)
     SELECT 'acme', 'heap-' || c, n, 'bot', repeat('x', 100000), false, now(), n::text, 100000
     FROM generate_series(0, 49) AS c, generate_series(1, 20) AS n`,
  );
  await service.deps.sql(
    `UPDATE conversations SET revision = 20, turn_count = 20, bytes = 2000000, due_at = now() WHERE id LIKE 'heap-%'`,
  );
  const script = join(import.meta.dirname, 'killed-worker.ts');
  // The transcripts have 100 MB. The idle process and its words of spoken numbers use half of the
  // heap.
  const heap = '--max-old-space-size=184';
  const child = spawn(process.execPath, [heap, '--import', 'tsx', script, JSON.stringify(service.env)], {
    stdio: 'inherit',
    cwd: import.meta.dirname,
  });
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null || child.signalCode !== null) return true;
        const [row] = await service.deps.sql<{ open: number }>(
          `SELECT count(*)::int AS open FROM conversations WHERE id LIKE 'heap-%' AND settled_at IS NULL`,
        );
        return row?.open === 0;
      },
      { timeoutMs: 60_000 },
    );
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  } finally {
    child.kill('SIGKILL');
  }
  expect(await read(service, 'heap-49')).toMatchObject({ status: 'failed' });
});

test('transcripts have pages in all their forms', async () => {
  await talk('paged', 30, 100_000);
  const pages: { turns: { index: number }[]; sha256?: string; next_cursor?: string }[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; cursor = pages.at(-1)!.next_cursor) {
    const query = cursor === '' ? '' : `?cursor=${cursor}`;
    const answer = await service.api.get(`/v1/conversations/paged/transcript${query}`).expect(200);
    expect(answer.text.length).toBeLessThan(1_200 * KIB);
    pages.push((answer.body as { data: (typeof pages)[number] }).data);
  }
  expect(pages.length).toBeGreaterThan(2);
  const turns = pages.flatMap((page) => page.turns);
  expect(turns.map(({ index }) => index)).toEqual(Array.from({ length: 30 }, (_, index) => index));
  expect(pages.map(({ sha256 }) => sha256)).toEqual([
    createHash('sha256').update(JSON.stringify(turns)).digest('hex'),
    ...pages.slice(1).map(() => undefined),
  ]);
  for (const accept of ['text/plain', 'text/vtt']) {
    let seen = 0;
    for (let url: string | undefined = '/v1/conversations/paged/transcript'; url !== undefined;) {
      const answer: Answer = await service.api.get(url).set({ accept }).expect(200);
      expect(answer.text.length).toBeLessThan(1_200 * KIB);
      seen += answer.text.match(/User|Bot/g)!.length;
      url = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1];
    }
    expect(seen).toBe(30);
  }
  await service.api.get('/v1/conversations/paged/transcript?cursor=WzFd').expect(400);
});

test('webhooks get a truncated transcript with the path of the complete one', async () => {
  await talk('told', 30, 20 * KIB, [event('conversation.ended', 'told', 60)]);
  await settleDue({ ...service.deps, clock: () => Date.now() + 60_000 });
  const [ended] = (await sentEvents(service, 'told')).filter(
    ({ event: type }) => type === 'conversation.ended',
  );
  expect(ended!.data).toMatchObject({ truncated: true, transcript_url: '/v1/conversations/told/transcript' });
  const shown = ended!.data['transcript'] as object[];
  expect(JSON.stringify(shown).length).toBeLessThanOrEqual(256 * KIB);
  expect(shown.length).toBeGreaterThan(10);
});

test('turns beyond the size limit of a conversation are rejected', async () => {
  await talk('full', 2, 1_000);
  // Enterprise: 50 MB.
  await service.deps.sql(`UPDATE conversations SET bytes = 49999000 WHERE id = 'full'`);
  const tooMuch = event('bot.message', 'full', 9, { turn_index: 9, text: 'y'.repeat(2_000) });
  const fits = event('speech.final', 'full', 10, { turn_index: 10, text: 'z' });
  const ended = event('conversation.ended', 'full', 11);
  for (let times = 0; times < 2; times += 1) {
    // Repeated: rejected again, not counted as a duplicate.
    const answer = await send(service, [tooMuch, fits, ended]);
    expect(answer).toMatchObject({
      accepted: times === 0 ? 2 : 0,
      duplicates: times === 0 ? 0 : 2,
      rejected: [{ index: 0, code: 'CONVERSATION_TOO_LARGE', message: expect.stringContaining('"full"') }],
    });
  }
  expect(await read(service, 'full')).toMatchObject({ truncated: true, turn_count: 3, status: 'processing' });
  const transcript = await readTranscript(service, 'full');
  expect(transcript).toMatchObject({ truncated: true, revision: 3 });
  expect(transcript.turns.map(({ index }) => index)).toEqual([0, 1, 10]);
});

test('an utterance has a size limit', async () => {
  const words = Array.from({ length: 9_000 }, () => ({ word: 'w'.repeat(150) }));
  const answer = await send(service, [event('speech.final', 'long', 0, { turn_index: 0, text: '', words })]);
  expect(answer.rejected).toEqual([expect.objectContaining({ index: 0, code: 'PAYLOAD_TOO_LARGE' })]);
});

test('pages of lists end at their byte limit', async () => {
  for (let made = 0; made < 14; made += 1) {
    await service.api
      .post('/v1/bots', { name: `Bot ${made}`, system_prompt: 'p'.repeat(100_000) })
      .expect(201);
  }
  const names = new Set<string>();
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const answer: Answer = await service.api
      .get(`/v1/bots?limit=100${cursor && `&cursor=${cursor}`}`)
      .expect(200);
    expect(answer.text.length).toBeLessThan(1_200 * KIB);
    const { items, next_cursor } = (
      answer.body as { data: { items: { name: string }[]; next_cursor: string | null } }
    ).data;
    for (const { name } of items) names.add(name);
    cursor = next_cursor;
  }
  expect([names.size, pages]).toEqual([14, 2]);
});
