// Settings as a service reads them: current within a moment, defaults of the deployment, secrets
// dropped when refused.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { createListener, sqlOf, type Listener, type Sql } from '@parley/server/postgres';
import {
  createLog,
  createSecrets,
  SecretUnavailable,
  systemClock,
  type Secret,
} from '@parley/server/runtime';
import { capturedLog, createTestDatabase, eventually } from '@parley/testing';
import { createSettings, setSetting, unsetSetting, type Settings } from './index.ts';

const env: Record<string, string> = {};
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: pg.Pool;
let listener: Listener;
let sql: Sql;
let settings: Settings;
beforeAll(async () => {
  database = await createTestDatabase('notifications');
  pool = new pg.Pool({ connectionString: database.url });
  sql = sqlOf(pool);
  const log = createLog({ service: 'test', level: 'info', destination: capturedLog() });
  listener = createListener({ url: database.url, applicationName: 'test', clock: systemClock, log });
  settings = createSettings({
    sql,
    listener,
    clock: systemClock,
    secrets: createSecrets({ env, clock: systemClock }),
    defaults: { smtp_url: 'env://SMTP_OF_ALL', email_from: 'all@parley.example' },
  });
});
afterAll(async () => {
  await listener.close();
  await pool.end();
  await database.drop();
});
beforeEach(() => {
  Object.assign(env, { SMTP_OF_ALL: 'smtp://all', ACME: 'https://acme' });
});

const set = (key: string, given: { reference: string } | { value: string }, organization = 'acme') =>
  setSetting(sql, organization, key, given, Date.now());

test('the organisation’s own value takes precedence over the deployment’s, and a change is noticed', async () => {
  expect(await settings.get('acme', 'email_from')).toBe('all@parley.example');
  await set('email_from', { value: 'acme@parley.example' });
  await eventually(async () => (await settings.get('acme', 'email_from')) === 'acme@parley.example');
  expect(await settings.get('globex', 'email_from')).toBe('all@parley.example');
  await unsetSetting(sql, 'acme', 'email_from');
  await eventually(async () => (await settings.get('acme', 'email_from')) === 'all@parley.example');
  expect(await settings.get('acme', 'email_reply_to')).toBeUndefined();
});

test('a secret is resolved, its reference can be shown', async () => {
  expect((await settings.get('acme', 'smtp_url'))?.reveal()).toBe('smtp://all');
  expect(await settings.stored('acme', 'smtp_url')).toBe('env://SMTP_OF_ALL');
  delete env['SMTP_OF_ALL'];
  await expect(settings.get('acme', 'smtp_url')).rejects.toBeInstanceOf(SecretUnavailable);
  expect(await settings.get('acme', 'chat_webhook_url')).toBeUndefined();
});

test('a refused secret is retried only if there is a new one', async () => {
  await set('chat_webhook_url', { reference: 'env://ACME' });
  await eventually(async () => (await settings.stored('acme', 'chat_webhook_url')) !== undefined);
  const used: string[] = [];
  const refuse = async (secret: Secret) => void used.push(secret.reveal());
  await settings.use('acme', 'chat_webhook_url', refuse, () => true);
  expect(used).toEqual(['https://acme']);
  const rotate = async (secret: Secret) => {
    used.push(secret.reveal());
    env['ACME'] = 'https://acme/new';
  };
  await settings.use('acme', 'chat_webhook_url', rotate, () => true);
  expect(used).toEqual(['https://acme', 'https://acme', 'https://acme/new']);
  expect(await settings.use('globex', 'chat_webhook_url', refuse, () => true)).toBeUndefined();
});
