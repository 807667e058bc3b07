import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isApiKey } from '@parley/auth';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';
import { readAuditLog } from './audit-log.ts';

describe('parley keys', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    database = await createTestDatabase('voice-api');
  });
  afterAll(() => database.drop());

  async function run(...words: string[]): Promise<string[]> {
    const lines: string[] = [];
    const output = { print: (line: string) => void lines.push(line), explain: () => undefined };
    const parley = createProgram({ DATABASE_URL_VOICE_API: database.url }, output);
    await parley.parseAsync(['node', 'parley', ...words]);
    return lines;
  }

  test('issues the first key of an organisation, lists it and revokes it', async () => {
    const org = ['--product', 'voice-api', '--org', 'acme'];
    const [made] = await run('keys', 'create', ...org, '--name', 'first', '--scopes', 'read,write');
    const { id, key, scopes } = JSON.parse(made!) as { id: string; key: string; scopes: string[] };
    expect(isApiKey('va', key)).toBe(true);
    expect(scopes).toEqual(['read', 'write']);

    const listed = await run('keys', 'list', ...org);
    expect(listed.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual([id]);
    expect(listed.join()).not.toContain(key);

    expect(await run('keys', 'revoke', ...org, '--id', id)).toEqual([`revoked ${id}`]);
    expect(await run('keys', 'list', ...org)).toEqual([]);
    const deeds = await readAuditLog(database.url);
    expect(deeds).toEqual([
      ['operator', 'api_key.issued', id, { name: 'first', scopes, expires_at: null }],
      ['operator', 'api_key.revoked', id, {}],
    ]);
  });

  test.each([
    [
      ['keys', 'create', '--product', 'voice-api', '--org', 'a', '--name', 'x', '--scopes', 'root'],
      /"root" is not a scope/,
    ],
    [['keys', 'create', '--product', 'telephone', '--org', 'a', '--name', 'x'], /telephone.*invalid/],
    [['keys', 'create', '--product', 'voice-api', '--name', 'x'], /--org/],
    [['keys', 'revoke', '--product', 'voice-api', '--org', 'a', '--id', 'key_none'], /no key "key_none"/],
  ])('refuses %j', async (words, message) => {
    await expect(run(...words)).rejects.toThrow(message);
  });
});
