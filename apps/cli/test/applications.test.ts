// `parley applications`: requests, lines and exit codes. What the requests do is tested in
// apps/voice-api/test/applications.int.test.ts.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { receiver } from '@parley/testing';
import { createProgram } from '../src/program.ts';

let server: Awaited<ReturnType<typeof receiver>>;
beforeEach(async () => {
  server = await receiver();
});
afterEach(() => server.close());

async function run(...words: string[]) {
  const lines: string[] = [];
  const explained: string[] = [];
  const output = {
    print: (line: string) => void lines.push(line),
    explain: (text: string) => void explained.push(text),
  };
  const env = { PARLEY_VOICE_URL: server.url, PARLEY_VOICE_KEY: 'k' };
  const parsed = createProgram(env, output).parseAsync(['node', 'parley', 'applications', ...words]);
  const code = await parsed.then(
    () => 0,
    (error: unknown) => {
      if (error instanceof CommanderError) return error.exitCode;
      throw error;
    },
  );
  return { code, lines, explained: explained.join('') };
}

const SHOP = { id: 'shop', name: 'Corner shop' };
const PLACE = '/v1/applications/shop';

test.each([
  ['put shop --name Shop', 'PUT', PLACE, { name: 'Shop' }],
  ['delete shop', 'DELETE', PLACE, undefined],
  ['link shop', 'POST', `${PLACE}/portal-links`, { read_only: false }],
  [
    'link shop --seconds 60 --read-only',
    'POST',
    `${PLACE}/portal-links`,
    { read_only: true, expires_in_seconds: 60 },
  ],
  ['revoke-links shop', 'DELETE', `${PLACE}/portal-links`, undefined],
])('%s', async (words, method, path, body) => {
  server.script({ body: { success: true, data: SHOP } });
  const { code, lines } = await run(...words.split(' '));
  expect([code, lines]).toEqual([0, [JSON.stringify(SHOP)]]);
  const [request] = server.requests;
  expect(request).toMatchObject({ method, path });
  const sent = request!.body.toString();
  expect(sent === '' ? undefined : JSON.parse(sent)).toEqual(body);
});

test('lists one application a line', async () => {
  const items = [SHOP, { id: 'bank', name: 'Bank' }];
  server.script({ body: { success: true, data: { items, next_cursor: null, has_more: false } } });
  const { code, lines } = await run('list');
  expect([code, lines]).toEqual([0, items.map((one) => JSON.stringify(one))]);
});

test('exits with 2 when the service refuses', async () => {
  const error = { code: 'NOT_FOUND', message: 'There is no application "shop".' };
  server.script({ status: 404, body: { success: false, error } });
  const { code, lines, explained } = await run('link', 'shop');
  expect([code, lines]).toEqual([2, []]);
  expect(explained).toContain('There is no application "shop".');
});
