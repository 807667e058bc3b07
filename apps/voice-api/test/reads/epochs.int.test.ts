// Time goes back: after a restore or a failover no reader of the feed or of a stream misses an
// event, and each gets the place to go on from.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { EventSource } from 'eventsource';
import { inTransaction } from '@parley/server/postgres';
import { raiseEpoch, readSnapshot } from '@parley/server/event-streams';
import { eventually } from '@parley/testing';
import { event as reported, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { commit, dataOf, event } from '../webhooks.ts';

jest.setTimeout(120_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ heartbeatMs: 200 });
});
afterAll(() => service.stop());

interface Page {
  items: { id: string; data: { metadata: { n?: number } } }[];
  next_after: string;
}
const read = async (query: string) => dataOf<Page>(await service.api.get(`/v1/events?${query}`).expect(200));
const write = (n: number) => commit(service, [event({ metadata: { n } })]);
const numbers = ({ items }: Page) => items.map(({ data }) => data.metadata.n);
const readNumbers = async (after: string, count: number): Promise<Page> =>
  eventually(async () => {
    const page = await read(`after=${after}`);
    return page.items.length >= count && page;
  });
const countEpochs = async () => (await readSnapshot(service.deps.sql)).epochs.length;

/** As after a restore from a dump: the database remembers another server than the one it is on. */
const restore = () =>
  service.deps.sql(
    `UPDATE database_epochs SET system_identifier = 'another', server = 'another'
     WHERE number = (SELECT max(number) FROM database_epochs)`,
  );

/** The position to go on from instead of `after`. */
async function readOutdated(after: string): Promise<string> {
  const answer = await service.api.get(`/v1/events?after=${after}`).expect(410);
  const { error } = answer.body as { error: { code: string; details: { next_after: string } } };
  expect(error.code).toBe('POSITION_OUTDATED');
  return error.details.next_after;
}

test('a restarted server has the same epoch, another system or timeline the next one, once', async () => {
  const { sql } = service.deps;
  const count = await countEpochs();
  await sql(`UPDATE database_epochs SET server = 'before its restart'`);
  expect(await countEpochs()).toBe(count);
  await restore();
  const raised = await Promise.all(Array.from({ length: 5 }, countEpochs));
  expect(new Set(raised)).toEqual(new Set([count + 1]));
  await sql(`UPDATE database_epochs SET timeline = timeline + 1, server = 'of another timeline'`);
  expect(await countEpochs()).toBe(count + 2);
});

test('a position of before gets 410 with the place to go on from, which skips nothing', async () => {
  const { next_after: before } = await read('after=now');
  await write(1);
  const seen = await readNumbers(before, 1);
  await write(2);
  await restore();
  await write(3);
  const place = await readOutdated(seen.next_after);
  const rest = await readNumbers(place, 2);
  expect(numbers(rest)).toEqual([2, 3]);
  expect((await read(`after=${rest.next_after}`)).items).toEqual([]);
});

test('a position of an epoch that a restore undid repeats rather than skips', async () => {
  await restore();
  await write(4);
  const { next_after: before } = await read('after=now');
  // Lost: what the reader saw in the epoch that is raised again.
  await service.deps.sql(
    `UPDATE database_epochs SET raised_at = raised_at + interval '1 millisecond'
     WHERE number = (SELECT max(number) FROM database_epochs)`,
  );
  await write(5);
  const place = await readOutdated(before);
  expect(numbers(await readNumbers(place, 2))).toEqual(expect.arrayContaining([4, 5]));
});

test('raising the epoch waits for transactions that write under the one before', async () => {
  const { next_after: before } = await read('after=now');
  let raised: Promise<number> | undefined;
  const count = await countEpochs();
  await inTransaction(service.deps.pool, async (sql) => {
    await sql('SELECT current_epoch() AS number');
    raised = inTransaction(service.deps.pool, raiseEpoch);
    await eventually(async () => {
      const [row] = await sql<{ waiting: boolean }>(
        `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'database_epochs'::regclass) AS waiting`,
      );
      return row!.waiting;
    });
  });
  expect(await raised).toBe(count);
  await write(6);
  expect(numbers(await readNumbers(await readOutdated(before), 1))).toEqual([6]);
});

test('an open stream ends, and resumes with reset and what happens from then on', async () => {
  await send(service, [reported('conversation.started', 'followed', 0)]);
  const names: string[] = [];
  const source = new EventSource(`${service.server.url}/v1/conversations/followed/stream`, {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${service.key}` } }),
  });
  for (const name of ['ready', 'reset', 'bot.message'])
    source.addEventListener(name, () => void names.push(name));
  try {
    await eventually(() => names.includes('ready'));
    await restore();
    await eventually(() => names.includes('reset'));
    await send(service, [reported('bot.message', 'followed', 1, { turn_index: 0, text: 'Hello.' })]);
    await eventually(() => names.includes('bot.message'));
    expect(names).toEqual(['ready', 'reset', 'bot.message']);
  } finally {
    source.close();
  }
});
