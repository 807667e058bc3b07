// The lines of `parley vapid generate` are what notifications starts with.
import { expect, test } from '@jest/globals';
import { createECDH } from 'node:crypto';
import { program } from './program.ts';

async function generated(...args: string[]): Promise<Map<string, string>> {
  const lines: string[] = [];
  const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
  await program({}, output).parseAsync(['node', 'parley', 'vapid', 'generate', ...args]);
  return new Map(
    lines.map((line) => [line.slice(0, line.search(/[=:]/)), line.slice(line.search(/[=:]/) + 1).trim()]),
  );
}

test('prints a pair that belongs together, and the variables', async () => {
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

test('every pair is new, its id is the day, and a bad id is refused', async () => {
  const [first, second] = [await generated(), await generated()];
  expect(first.get('VAPID_KEYS_VALUE')).toMatch(/^k\d{8}:[\w-]{43}$/);
  expect(first.get('VAPID_KEYS_VALUE')).not.toBe(second.get('VAPID_KEYS_VALUE'));
  await expect(generated('--id', 'a:b')).rejects.toThrow('is not an id');
});
