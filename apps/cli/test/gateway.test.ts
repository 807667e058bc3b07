// `parley gateway check`: lines and exit codes. What a check finds is tested in
// apps/flow-builder/test/gateways/check.int.test.ts.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { receiver } from '@parley/testing';
import { createProgram } from '../src/program.ts';

let server: Awaited<ReturnType<typeof receiver>>;
beforeEach(async () => {
  server = await receiver();
});
afterEach(() => server.close());

async function check(env: Record<string, string>, ...words: string[]) {
  const lines: string[] = [];
  const explained: string[] = [];
  const output = {
    print: (line: string) => void lines.push(line),
    explain: (text: string) => void explained.push(text),
  };
  const parsed = createProgram(env, output).parseAsync(['node', 'parley', 'gateway', 'check', ...words]);
  const code = await parsed.then(
    () => 0,
    (error: unknown) => {
      if (error instanceof CommanderError) return error.exitCode;
      throw error;
    },
  );
  return { code, lines, explained: explained.join('') };
}

const works = { use: 'classifier', status: 'ok', model: 'small', ms: 12, reason: null, message: 'It chose.' };
const absent = {
  use: 'agent',
  status: 'not_configured',
  model: null,
  ms: null,
  reason: null,
  message: 'No.',
};
const fails = {
  ...works,
  status: 'failed',
  reason: 'unauthorized',
  message: 'The provider refuses the key.',
};

test('prints what came back and exits with 0', async () => {
  server.script({ body: { ok: true, checks: [works, absent] } });
  const { code, lines } = await check({ PARLEY_FLOWS_KEY: 'k' }, '--url', server.url);
  expect([code, lines]).toEqual([
    0,
    ['classifier (small, 12 ms) works. It chose.', 'agent is not configured. No.'],
  ]);
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/gateway/check' });
});

test('exits with 1 when a use fails', async () => {
  server.script({ body: { ok: false, checks: [fails, { ...works, provider: 'fallback' }] } });
  const { code, lines } = await check({ PARLEY_FLOWS_URL: server.url, PARLEY_FLOWS_KEY: 'k' });
  expect([code, lines]).toEqual([
    1,
    [
      'classifier (small, 12 ms) fails: unauthorized. The provider refuses the key.',
      'fallback classifier (small, 12 ms) works. It chose.',
    ],
  ]);
});

test('exits with 2 when the service refuses, or is not named', async () => {
  server.script({ status: 403, body: { code: 'insufficient_scope', detail: 'needs admin' } });
  const refused = await check({ PARLEY_FLOWS_URL: server.url, PARLEY_FLOWS_KEY: 'k' });
  expect(refused.code).toBe(2);
  const unnamed = await check({ PARLEY_FLOWS_URL: server.url });
  expect(unnamed).toMatchObject({ code: 2, explained: expect.stringContaining('PARLEY_FLOWS_KEY') });
});
