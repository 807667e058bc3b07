import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isApiKey, issueApiKey } from '@parley/auth';
import { createTestDatabase } from '@parley/testing';
import { createProgram } from '../src/program.ts';
import { withDatabase } from '../src/services.ts';
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

  test('revokes what a person made, and what was made with it', async () => {
    const organizationId = 'globex';
    const issue = async (createdBy: string) => {
      const asked = {
        product: 'va' as const,
        environment: 'test' as const,
        organizationId,
        name: 'x',
        scopes: ['admin' as const],
        createdBy,
        expiresAt: null,
        nowMs: Date.now(),
        id: `key_${randomUUID()}`,
      };
      const env = { DATABASE_URL_VOICE_API: database.url };
      await withDatabase(env, { product: 'voice-api' }, async (sql) => void (await issueApiKey(sql, asked)));
      return asked.id;
    };
    const own = await issue('user-7');
    const further = await issue(own);
    const other = await issue('user-8');
    const org = ['--product', 'voice-api', '--org', organizationId];
    const lines = await run('keys', 'revoke', ...org, '--created-by', 'user-7');
    expect(new Set(lines)).toEqual(new Set([`revoked ${own}`, `revoked ${further}`]));
    const left = (await run('keys', 'list', ...org)).map((line) => JSON.parse(line) as object);
    expect(left).toMatchObject([{ id: other, created_by: 'user-8' }]);
  });

  test.each([
    [
      ['keys', 'create', '--product', 'voice-api', '--org', 'a', '--name', 'x', '--scopes', 'root'],
      /"root" is not a scope/,
    ],
    [['keys', 'create', '--product', 'telephone', '--org', 'a', '--name', 'x'], /telephone.*invalid/],
    [['keys', 'create', '--product', 'voice-api', '--name', 'x'], /--org/],
    [['keys', 'revoke', '--product', 'voice-api', '--org', 'a', '--id', 'key_none'], /no key "key_none"/],
    [['keys', 'revoke', '--product', 'voice-api', '--org', 'a'], /--id, or a person with --created-by/],
  ])('refuses %j', async (words, message) => {
    await expect(run(...words)).rejects.toThrow(message);
  });
});
