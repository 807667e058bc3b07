// `parley console link` issues expiring keys, sends them sealed to the console, and prints its
// link.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTickets, linkContent, operatorRequest } from '@parley/server/console-access';
import { parseKeyring, systemClock } from '@parley/server/runtime';
import { createTestDatabase, receiver, type Receiver } from '@parley/testing';
import { createProgram } from '../src/program.ts';
import { readAuditLog } from './audit-log.ts';

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

const run = (env: Record<string, string>, ...words: string[]) => runConsole(env, 'link', ...words);
async function runConsole(env: Record<string, string>, ...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const whole = {
    DATABASE_URL_VOICE_API: database.url,
    TEST_KEY: KEY,
    CONSOLE_KEY: 'env://TEST_KEY',
    ...env,
  };
  await createProgram(whole, output).parseAsync(['node', 'parley', 'console', ...words]);
  return lines;
}

test('prints the link that the console created for keys of this organisation', async () => {
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
  const [entry] = await readAuditLog(database.url);
  expect(entry).toMatchObject([
    'operator',
    'api_key.issued',
    expect.any(String),
    { name: 'console link', scopes: ['read'] },
  ]);
  const { expires_at: expiresAt } = entry![3] as { expires_at: string };
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(11.9 * 3600_000);
});

test('reports the status when the console refuses', async () => {
  console.script({ status: 401, body: { error: 'not sealed under this CONSOLE_KEY' } });
  await expect(run({}, '--org', 'acme', '--console-url', console.url)).rejects.toThrow('answers 401');
});

test('lists and ends sessions with the key of the console', async () => {
  const at = '2026-03-01T12:00:00.000Z';
  const session = { id: '1', with: 'identity', person: 'ada', services: [], begun_at: at, ends_at: at };
  const opened = async () => {
    const { path, body } = console.requests.at(-1)!;
    const { ticket } = JSON.parse(body.toString()) as { ticket: string };
    const keyring = parseKeyring(KEY);
    const tickets = createTickets(async () => keyring, systemClock);
    return [path, await tickets.open('operator', operatorRequest, ticket)];
  };
  for (const [words, request] of [
    [['list'], { action: 'list', which: { all: true } }],
    [['end', '--person', 'ada'], { action: 'end', which: { person: 'ada' } }],
    [['end', '--id', '1'], { action: 'end', which: { id: '1' } }],
    [['end', '--all'], { action: 'end', which: { all: true } }],
  ] as const) {
    console.script({ body: { sessions: [session] } });
    const lines = await runConsole({ CONSOLE_URL: console.url }, 'sessions', ...words);
    expect(lines).toEqual([JSON.stringify(session)]);
    expect(await opened()).toEqual(['/session/sessions', request]);
  }
  for (const words of [['end'], ['end', '--all', '--id', '1']])
    await expect(runConsole({ CONSOLE_URL: console.url }, 'sessions', ...words)).rejects.toThrow('one of');
});
