// `parley import conversations`: files, lists and lines, refusals, and a second start.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createProgram } from '../src/program.ts';

let server: Server;
let folder: string;
const received: { url: string; body: unknown }[] = [];

/** Answers as the voice API does: refuses calls named `bad`, and has 30 stored conversations. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-backfill-'));
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const given = body as { call?: { call_id: string }; event?: string; cursor?: string };
      received.push({ url: request.url ?? '', body });
      const isBad = given.call?.call_id === 'bad';
      const isStored = request.url === '/v1/conversations/reimport';
      const stored = { conversations: 25, changed: 1, failed: [], next_cursor: given.cursor ? null : 'next' };
      const imported = { conversation_id: given.event === 'call_started' ? null : 'c', ignored: given.event };
      response.writeHead(isBad ? 422 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          isBad
            ? { success: false, error: { code: 'UNPROCESSABLE', message: 'It has no event.' } }
            : { success: true, data: isStored ? stored : imported, meta: {} },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => void received.splice(0));
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

async function parley(...words: readonly string[]) {
  const printed: string[] = [];
  const explained: string[] = [];
  const output = {
    print: (line: string) => printed.push(line),
    explain: (text: string) => explained.push(text),
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { PARLEY_VOICE_URL: url, PARLEY_VOICE_KEY: 'va_test_key' };
  const failed = await createProgram(env, output)
    .parseAsync(['node', 'parley', 'import', 'conversations', ...words])
    .then(
      () => false,
      () => true,
    );
  return { printed, explained: explained.join(''), failed };
}
const report = (call_id: string, event = 'call_ended') => ({ event, call: { call_id } });

test('sends each report of a folder once, names refused ones, and continues on a second start', async () => {
  await writeFile(join(folder, 'a.json'), JSON.stringify([report('1'), report('bad'), report('2')]));
  await writeFile(
    join(folder, 'b.jsonl'),
    `${JSON.stringify(report('3'))}\n\n${JSON.stringify(report('4', 'call_started'))}\n`,
  );
  await writeFile(join(folder, 'notes.txt'), 'no report');
  const options = [folder, '--source', 'retell', '--bot-id', 'bot_1', '--state', join(folder, 'done')];
  const first = await parley(...options);
  expect(first.failed).toBe(true);
  expect(first.printed).toEqual([
    expect.stringMatching(/a\.json#1: .*It has no event/),
    expect.stringMatching(/b\.jsonl:3: ignored, it is a message "call_started"$/),
    '3 accepted, 0 skipped, 1 ignored, 1 refused',
  ]);
  expect(received.map(({ url }) => url)).toEqual(
    Array(5).fill('/v1/conversations/import/retell?bot_id=bot_1'),
  );
  received.splice(0);
  const second = await parley(...options);
  expect(second.printed.at(-1)).toBe('0 accepted, 4 skipped, 0 ignored, 1 refused');
  expect(received).toHaveLength(1);
});

test('applies stored reports page by page', async () => {
  const { printed, failed } = await parley('--stored', '--source', 'vapi');
  expect(failed).toBe(false);
  expect(printed.at(-1)).toBe('50 conversations, 2 changed, 0 failed');
  expect(received.map(({ body }) => body)).toEqual([{ source: 'vapi' }, { source: 'vapi', cursor: 'next' }]);
});

test('says what is missing', async () => {
  await writeFile(join(folder, 'broken.json'), '{');
  for (const [words, message] of [
    [[folder], 'pass a path and --source'],
    [[join(folder, 'none'), '--source', 'vapi'], 'there is no file or folder'],
    [[join(folder, 'broken.json'), '--source', 'vapi'], 'is not JSON'],
    [['--stored', folder], 'without a path'],
  ] as const) {
    const { explained, failed } = await parley(...words);
    expect(failed).toBe(true);
    expect(explained).toContain(message);
  }
});
