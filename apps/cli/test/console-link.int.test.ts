// `parley console link`: keys that end by themselves, handed to the console under its key, and nothing of them in the link.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTickets, linkContent } from '@parley/console-access';
import { parseKeyring, systemClock } from '@parley/runtime';
import { createTestDatabase, receiver, type Receiver } from '@parley/testkit';
import { program } from '../src/program.ts';
import { deedsIn } from './deeds.ts';

const KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const LINK = { url: 'https://console.example/sign-in#code', expires_at: '2026-03-01T12:00:00.000Z' };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let console: Receiver;
beforeAll(async () => {
  database = await createTestDatabase('voice-api');
  console = await receiver({ fallback: { status: 201, body: LINK } });
});
afterAll(async () => {
  await console.close();
  await database.drop();
});

async function run(env: Record<string, string>, ...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const whole = {
    DATABASE_URL_VOICE_API: database.url,
    TEST_KEY: KEY,
    CONSOLE_KEY: 'env://TEST_KEY',
    ...env,
  };
  await program(whole, output).parseAsync(['node', 'parley', 'console', 'link', ...words]);
  return lines;
}

test('prints the link that the console made for keys of this organisation', async () => {
  expect(await run({ CONSOLE_URL: console.url }, '--org', 'acme', '--scopes', 'read')).toEqual([LINK.url]);
  const { path, body } = console.requests[0]!;
  expect(path).toBe('/session/links');
  const { ticket } = JSON.parse(body.toString()) as { ticket: string };
  const keyring = parseKeyring(KEY);
  const held = await createTickets(async () => keyring, systemClock).open('link', linkContent, ticket);
  expect(held).toEqual({
    keys: { 'voice-api': expect.stringMatching(/^va_/) },
    label: 'parley console link, acme',
  });
  const [deed] = await deedsIn(database.url);
  expect(deed).toMatchObject([
    'operator',
    'api_key.issued',
    expect.any(String),
    { name: 'console link', scopes: ['read'] },
  ]);
  const { expires_at: expiresAt } = deed![3] as { expires_at: string };
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(11.9 * 3600_000);
});

test('says what the console answered where it refuses', async () => {
  console.script({ status: 401, body: { error: 'not sealed under this CONSOLE_KEY' } });
  await expect(run({}, '--org', 'acme', '--console-url', console.url)).rejects.toThrow('answers 401');
});
