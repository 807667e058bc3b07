// `parley token mint`: what services would accept, and clear refusals.
import { expect, test } from '@jest/globals';
import { createIdentityVerifier } from '@parley/auth';
import { createSecrets, systemClock } from '@parley/server/runtime';
import { createProgram } from '../src/program.ts';

const identity = {
  IDENTITY_SHARED_SECRET: 'env://SHARED',
  IDENTITY_ISSUER: 'issuer',
  IDENTITY_AUDIENCE: ['audience', 'another'],
};
const env = {
  ...identity,
  IDENTITY_AUDIENCE: 'audience, another',
  SHARED: 'a shared secret of at least 32 bytes',
};

async function mint(variables: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  const parley = createProgram(variables, { print: (line) => lines.push(line), explain: () => undefined });
  await parley.parseAsync(['token', 'mint', ...args], { from: 'user' });
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

const secrets = createSecrets({ env, clock: systemClock });
const watch = {} as Parameters<typeof createIdentityVerifier>[2];

test('a token of an end user', async () => {
  const verify = (await createIdentityVerifier(identity, secrets, watch))!;
  const token = await mint(env, '--user', 'ada');
  expect(await verify(token, Date.now())).toMatchObject({ organizationId: 'demo', endUser: 'ada' });
  expect(await verify(token, Date.now() + 13 * 3_600_000)).toBeNull();
});

test('organisation, scopes and lifetime are chosen', async () => {
  const verify = (await createIdentityVerifier(identity, secrets, watch))!;
  const options = ['--user', 'ada', '--org', 'acme', '--scopes', 'read', '--hours', '24'];
  const caller = await verify(await mint(env, ...options), Date.now());
  expect(caller).toMatchObject({ organizationId: 'acme', scopes: new Set(['read']) });
});

test.each([
  [['--user', 'ada', '--hours', '25'], 'at most 24'],
  [['--user', 'ada', '--hours', 'soon'], 'at most 24'],
  [['--user', 'ada', '--scopes', 'all'], '"all" is not a scope'],
  [[], "required option '--user <id>'"],
])('%j is refused', async (args, message) => {
  await expect(mint(env, ...args)).rejects.toThrow(message);
});

test('another secret is refused', async () => {
  const verify = (await createIdentityVerifier(identity, secrets, watch))!;
  const token = await mint({ ...env, SHARED: 'another secret of at least 32 bytes!' }, '--user', 'ada');
  expect(await verify(token, Date.now())).toBeNull();
});
