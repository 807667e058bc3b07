// Headers that name a secret of the organisation: resolved in the call, for both clients, only for
// its organisation.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createSecrets } from '@parley/server/runtime';
import { receiver, type Receiver } from '@parley/testing';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outboundUnderTest, type OutboundUnderTest } from './outbound-under-test.ts';

let folder: string;
let outside: Receiver;
let outbound: OutboundUnderTest;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-secrets-'));
  await mkdir(join(folder, 'acme'));
  await writeFile(join(folder, 'acme', 'token'), 'Bearer canary\n');
  await writeFile(join(folder, 'outside'), 'canary of the operator');
  outside = await receiver();
  outbound = outboundUnderTest({
    headerSecrets: {
      secrets: createSecrets({ env: {}, clock: Date.now }),
      place: `file://${folder}/{organization}/{name}`,
    },
  });
});
afterAll(async () => {
  await outbound.close();
  await outside.close();
  await rm(folder, { recursive: true });
});

test.each(['request', 'deliver'] as const)('%s sends the value with the other headers', async (client) => {
  const headers = { authorization: 'secret://token', 'x-other': 'as it is' };
  const sent = await outbound[client]({ url: outside.url, headers, secretsOf: 'acme', timeoutMs: 5_000 });
  expect(sent.ok).toBe(true);
  expect(outside.requests.at(-1)!.headers).toMatchObject({
    authorization: 'Bearer canary',
    'x-other': 'as it is',
  });
  expect(outbound.log.text()).not.toContain('canary');
});

test.each([
  ['of nobody', undefined, 'secret://token', 'secret://token'],
  ['in the middle of a value', 'acme', 'Bearer secret://token', 'Bearer secret://token'],
])('%s is an ordinary text', async (_what, secretsOf, value, seen) => {
  const whose = secretsOf === undefined ? {} : { secretsOf };
  await outbound.deliver({ url: outside.url, headers: { 'x-a': value }, ...whose, timeoutMs: 5_000 });
  expect(outside.requests.at(-1)!.headers['x-a']).toBe(seen);
});

test.each([
  ['that is not there', 'acme', 'secret://other'],
  ['of another organisation', 'globex', 'secret://token'],
  ['of an organisation that is a way out', '..', 'secret://outside'],
  ['of an organisation with a folder in it', '../x/acme', 'secret://token'],
  ['whose name is a way out', 'acme', 'secret://../outside'],
  ['without a name', 'acme', 'secret://'],
])('a secret %s is not sent, and neither is the request', async (_what, secretsOf, value) => {
  const before = outside.requests.length;
  const call = { url: outside.url, headers: { 'x-a': value }, secretsOf, timeoutMs: 5_000 };
  for (const client of ['request', 'deliver'] as const) {
    expect(await outbound[client](call)).toMatchObject({
      ok: false,
      errorClass: 'invalid_request',
      message: 'A secret that a header names cannot be read.',
    });
  }
  expect(outside.requests).toHaveLength(before);
  expect(outbound.log.text()).not.toContain('canary');
});
