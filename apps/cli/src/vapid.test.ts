// `parley vapid generate` prints variables that notifications accepts.
import { expect, test } from '@jest/globals';
import { createECDH } from 'node:crypto';
import { createProgram } from './program.ts';

async function generated(...args: string[]): Promise<Map<string, string>> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  await createProgram({}, output).parseAsync(['node', 'parley', 'vapid', 'generate', ...args]);
  return new Map(
    lines.map((line) => [line.slice(0, line.search(/[=:]/)), line.slice(line.search(/[=:]/) + 1).trim()]),
  );
}

test('prints a matching key pair and its variables', async () => {
  const lines = await generated('--id', 'k1', '--subject', 'mailto:ops@example.com');
  expect(lines.get('NOTIFICATIONS_WEB_PUSH_ENABLED')).toBe('true');
  expect(lines.get('VAPID_SUBJECT')).toBe('mailto:ops@example.com');
  expect(lines.get('VAPID_KEYS')).toBe('env://VAPID_KEYS_VALUE');
  const [id, privateKey = ''] = lines.get('VAPID_KEYS_VALUE')!.split(':');
  expect(id).toBe('k1');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  expect([...lines.values()].join()).toContain(pair.getPublicKey('base64url'));
});

test('makes a new pair each time, names it after the day, and refuses an invalid id', async () => {
  const [first, second] = [await generated(), await generated()];
  expect(first.get('VAPID_KEYS_VALUE')).toMatch(/^k\d{8}:[\w-]{43}$/);
  expect(first.get('VAPID_KEYS_VALUE')).not.toBe(second.get('VAPID_KEYS_VALUE'));
  await expect(generated('--id', 'a:b')).rejects.toThrow('is not an id');
});
