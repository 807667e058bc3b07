// `parley settings` stores references, refuses values of secrets, and removes settings.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';
import { readAuditLog } from './audit-log.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase('notifications');
});
afterAll(() => database.drop());

async function run(...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  const parley = createProgram({ DATABASE_URL_NOTIFICATIONS: database.url }, output);
  await parley.parseAsync(['node', 'parley', 'settings', ...words]);
  return lines;
}

test('sets, replaces, lists and unsets for one organisation', async () => {
  const org = ['--org', 'acme'];
  expect(await run('set', ...org, '--key', 'chat_webhook_url', '--ref', 'env://ACME_CHAT_URL')).toEqual([
    'set chat_webhook_url',
  ]);
  await run('set', ...org, '--key', 'chat_webhook_url', '--ref', 'vault://kv/acme/chat#url');
  await run('set', ...org, '--key', 'email_from', '--value', 'Acme <alerts@acme.example>');
  await run('set', '--org', 'globex', '--key', 'smtp_url', '--ref', 'file:///run/secrets/smtp');
  const listed = (await run('list', ...org)).map((line) => JSON.parse(line) as object);
  expect(listed).toEqual([
    { key: 'chat_webhook_url', ref: 'vault://kv/acme/chat#url', updated_at: expect.any(String) },
    { key: 'email_from', value: 'Acme <alerts@acme.example>', updated_at: expect.any(String) },
  ]);
  expect(await run('unset', ...org, '--key', 'email_from')).toEqual(['unset email_from']);
  expect(await run('unset', ...org, '--key', 'email_from')).toEqual(['email_from was not set']);
  expect(await run('list', ...org)).toHaveLength(1);
  const ofAcme = (await readAuditLog(database.url)).filter(([, , target]) => target !== 'smtp_url');
  expect(ofAcme.map(([, action, target, details]) => [action, target, details])).toEqual([
    ['setting.set', 'chat_webhook_url', { reference: 'env://ACME_CHAT_URL' }],
    ['setting.set', 'chat_webhook_url', { reference: 'vault://kv/acme/chat#url' }],
    ['setting.set', 'email_from', { value: 'Acme <alerts@acme.example>' }],
    ['setting.unset', 'email_from', {}],
  ]);
});

const set = (...words: string[]) => ['set', '--org', 'acme', ...words];

test.each([
  [
    set('--key', 'chat_webhook_url', '--value', 'https://hooks.example/secret'),
    /is a secret: give a reference/,
  ],
  [set('--key', 'chat_webhook_url', '--ref', 'https://hooks.example/secret'), /must be a secret reference/],
  [set('--key', 'chat_webhook_url'), /needs --ref/],
  [set('--key', 'email_from', '--ref', 'env://X'), /is not a secret: give its value/],
  [set('--key', 'email_from', '--value', 'a@b.example\r\nBcc: c@d.example'), /e-mail address/],
  [set('--key', 'email_providers', '--value', 'pigeon'), /must be sendgrid, smtp, .* or capture,/],
  [set('--key', 'colour', '--value', 'red'), /colour.*invalid/],
  [set('--key', 'email_from', '--value', 'a@b.example', '--ref', 'env://X'), /cannot be used with/],
  [['unset', '--key', 'email_from'], /--org/],
])('refuses %j', async (words, message) => {
  const error = await run(...words).then(
    () => new Error('it was accepted'),
    (thrown: Error) => thrown,
  );
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('hooks.example/secret');
});
