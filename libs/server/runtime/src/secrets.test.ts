import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { receiver, type Receiver } from '@parley/testing';
import { Secret } from './secret.ts';
import {
  createSecrets,
  SECRET_FETCH_AGAIN_MS,
  SECRET_HARD_TTL_MS,
  SECRET_SOFT_TTL_MS,
  SecretUnavailable,
  type SecretsOptions,
} from './secrets.ts';

const TOKEN = 'hvs.canary-token';
const env = { NAME: 'value', VAULT_TOKEN: TOKEN, EMPTY: '' };
let nowMs = 0;
const secretsWith = (options: Partial<SecretsOptions> = {}) =>
  createSecrets({ env, clock: () => nowMs, ...options });

describe('env://', () => {
  test('the value of the variable, wrapped', async () => {
    expect((await secretsWith().resolve('env://NAME')).reveal()).toBe('value');
  });

  test.each(['env://MISSING', 'env://EMPTY'])('%s cannot be resolved', async (reference) => {
    await expect(secretsWith().resolve(reference)).rejects.toThrow(`secret ${reference} cannot be read`);
  });
});

describe('file://', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-secrets-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('a changed file is read again, without its line end', async () => {
    const path = join(folder, 'key');
    const secrets = secretsWith();
    await writeFile(path, 'first\n');
    expect((await secrets.resolve(`file://${path}`)).reveal()).toBe('first');
    await writeFile(path, 'the second\n');
    expect((await secrets.resolve(`file://${path}`)).reveal()).toBe('the second');
  });

  test('a switched link of a Kubernetes mount is read again', async () => {
    // Like the kubelet: key -> ..data/key, ..data -> ..<time>, and ..data is replaced by a rename.
    const mount = async (version: string, value: string) => {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'key'), value);
      await utimes(join(folder, version, 'key'), 1_800_000_000, 1_800_000_000);
      await symlink(version, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    await mount('..1', 'old');
    await symlink('..data/key', join(folder, 'key'));
    const secrets = secretsWith();
    expect((await secrets.resolve(`file://${folder}/key`)).reveal()).toBe('old');
    await mount('..2', 'new'); // the same size and age as the first one
    expect((await secrets.resolve(`file://${folder}/key`)).reveal()).toBe('new');
  });

  test('an unreadable secret names the reference', async () => {
    await writeFile(join(folder, 'empty'), '\n');
    for (const reference of [
      `file://${folder}/missing`,
      `file://${folder}/empty`,
      'file:///a%2Fb',
      'file://host/x',
    ]) {
      const refused = secretsWith().resolve(reference);
      await expect(refused).rejects.toBeInstanceOf(SecretUnavailable);
      await expect(refused).rejects.toThrow(reference);
    }
  });
});

describe('vault:// (KV v2)', () => {
  const reference = 'vault://secret/team/app#password';
  let vault: Receiver;
  let elsewhere: Receiver;
  const stale: string[] = [];
  const holds = (password: unknown) =>
    vault.script({ body: { data: { data: { password }, metadata: { version: 3 } } } });
  const secretsOfVault = () =>
    secretsWith({
      vault: { url: `${vault.url}/`, token: 'env://VAULT_TOKEN' },
      onStale: (of, error) => void stale.push(`${of} ${String(error)}`),
    });

  beforeAll(async () => {
    vault = await receiver({ fallback: 403 });
    elsewhere = await receiver({ fallback: { body: { data: { data: { password: 'stolen' } } } } });
  });
  beforeEach(() => {
    nowMs = 1_800_000_000_000;
    vault.requests.length = 0;
    stale.length = 0;
  });
  afterAll(() => Promise.all([vault.close(), elsewhere.close()]));

  test('requests the entry with the token and returns the key of it', async () => {
    holds('hunter2');
    expect((await secretsOfVault().resolve('vault://secret/team one/app#password')).reveal()).toBe('hunter2');
    expect(vault.requests[0]).toMatchObject({ method: 'GET', path: '/v1/secret/data/team%20one/app' });
    expect(vault.requests[0]!.headers['x-vault-token']).toBe(TOKEN);
  });

  test('is cached for the soft time, then fetched again', async () => {
    const secrets = secretsOfVault();
    holds('first');
    await secrets.resolve(reference);
    nowMs += SECRET_SOFT_TTL_MS - 1;
    expect((await secrets.resolve(reference)).reveal()).toBe('first');
    expect(vault.requests).toHaveLength(1);
    nowMs += 1;
    holds('second');
    expect((await secrets.resolve(reference)).reveal()).toBe('second');
  });

  test('concurrent callers share one request', async () => {
    const secrets = secretsOfVault();
    vault.script({ afterMs: 20, body: { data: { data: { password: 'x' } } } });
    const values = await Promise.all(Array.from({ length: 20 }, () => secrets.resolve(reference)));
    expect(new Set(values.map((value) => value.reveal()))).toEqual(new Set(['x']));
    expect(vault.requests).toHaveLength(1);
  });

  test('an old value serves while Vault is away, reports it, and is not requested at every use', async () => {
    const secrets = secretsOfVault();
    holds('old');
    await secrets.resolve(reference);
    nowMs += SECRET_SOFT_TTL_MS;
    for (let use = 0; use < 3; use += 1) expect((await secrets.resolve(reference)).reveal()).toBe('old');
    expect(stale).toHaveLength(1);
    expect(stale[0]).toContain(reference);
    expect(vault.requests).toHaveLength(2);

    nowMs += SECRET_FETCH_AGAIN_MS;
    holds('new');
    expect((await secrets.resolve(reference)).reveal()).toBe('new');
  });

  test('past the hard time the old value is not used any more', async () => {
    const secrets = secretsOfVault();
    holds('old');
    await secrets.resolve(reference);
    nowMs += SECRET_HARD_TTL_MS - 1;
    expect((await secrets.resolve(reference)).reveal()).toBe('old');
    nowMs += 1; // within the pause after the failed fetch, but past the hard time
    await expect(secrets.resolve(reference)).rejects.toBeInstanceOf(SecretUnavailable);
  });

  test('a dropped value is fetched immediately', async () => {
    const secrets = secretsOfVault();
    holds('refused by its provider');
    await secrets.resolve(reference);
    secrets.drop(reference);
    holds('rotated');
    expect((await secrets.resolve(reference)).reveal()).toBe('rotated');
    secrets.drop(reference);
    // and not served as stale
    await expect(secrets.resolve(reference)).rejects.toBeInstanceOf(SecretUnavailable);
  });

  test('a value that is dropped during its fetch is not cached', async () => {
    const secrets = secretsOfVault();
    vault.script({ afterMs: 30, body: { data: { data: { password: 'before' } } } });
    const waiting = secrets.resolve(reference);
    await vault.received(1);
    secrets.drop(reference);
    holds('after');
    expect((await secrets.resolve(reference)).reveal()).toBe('after');
    expect((await waiting).reveal()).toBe('before');
    expect((await secrets.resolve(reference)).reveal()).toBe('after');
  });

  test.each<[string, () => void]>([
    ['refuses', () => undefined],
    ['does not speak JSON', () => vault.script({ body: 'hello' })],
    [
      'answers without end',
      () => vault.script({ body: { data: { data: { password: 'x' } }, rest: 'x'.repeat(3 * 1024 * 1024) } }),
    ],
    ['has no such key', () => vault.script({ body: { data: { data: { other: 'x' } } } })],
    ['holds something else than text', () => holds(42)],
    ['redirects', () => vault.script({ status: 307, headers: { location: elsewhere.url } })],
  ])('when Vault %s, the error names the reference and never the token', async (_how, script) => {
    script();
    const error: unknown = await secretsOfVault()
      .resolve(reference)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SecretUnavailable);
    expect((error as Error).message).toContain(reference);
    expect(inspect(error, { depth: 20, showHidden: true, getters: true })).not.toContain(TOKEN);
    expect(elsewhere.requests).toEqual([]);
  });

  test('without VAULT_ADDR a reference cannot be resolved', async () => {
    await expect(secretsWith().resolve(reference)).rejects.toThrow('VAULT_ADDR is not set');
  });
});

test('a value given instead of a reference is not repeated', async () => {
  const error: unknown = await secretsWith()
    .resolve('hunter2')
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SecretUnavailable);
  expect(String(error)).not.toContain('hunter2');
});

test('resolveUrl returns a URL unchanged, and resolves a reference', async () => {
  const secrets = secretsWith({ env: { URL: 'redis://:pw@queue' } });
  expect((await secrets.resolveUrl(new Secret('redis://queue'))).reveal()).toBe('redis://queue');
  expect((await secrets.resolveUrl(new Secret('env://URL'))).reveal()).toBe('redis://:pw@queue');
});
