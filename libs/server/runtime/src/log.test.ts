import { describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { capturedLog } from '@parley/testing';
import { createLog, ignoreFailure, plainError } from './log.ts';
import { Secret } from './secret.ts';

const CANARY = 'canary-7f3a';

function logged(write: (log: ReturnType<typeof createLog>) => void) {
  const captured = capturedLog();
  write(createLog({ service: 'voice-api', level: 'info', destination: captured }));
  return captured;
}

/** An error as client libraries throw it: with the whole request. */
function clientError(message = 'the request failed', cause?: unknown): Error {
  const request = { headers: { 'x-api-key': CANARY }, url: `https://${CANARY}@host` };
  return Object.assign(new Error(message, { cause }), { code: 'ERR_X', request, config: { auth: CANARY } });
}

test('a line is JSON with its level, service, time and event', () => {
  const [line] = logged((log) => log.info({ status: 200 }, 'request.served')).lines();
  expect(line).toMatchObject({ level: 'info', service: 'voice-api', event: 'request.served', status: 200 });
  expect(line!['time']).toEqual(expect.any(Number));
});

test('lines below the level are not written', () => {
  expect(logged((log) => log.debug('x')).text()).toBe('');
});

describe('secrets are masked', () => {
  const masked = [
    'authorization',
    'cookie',
    'password',
    'secret',
    'token',
    'api_key',
    'apiKey',
    'webhook_url',
    'p256dh',
  ];
  const places: [string, (name: string) => object][] = [
    ['at the top', (name) => ({ [name]: CANARY })],
    ['one level down', (name) => ({ headers: { [name]: CANARY } })],
    ['two levels down', (name) => ({ request: { headers: { [name]: CANARY } } })],
    ['in a list', (name) => ({ devices: [{ [name]: CANARY }] })],
  ];
  test.each(masked.flatMap((name) => places.map(([where, at]) => [name, where, at(name)] as const)))(
    '%s %s',
    (_name, _where, facts) => {
      const captured = logged((log) => log.info(facts, 'x'));
      expect(captured.lines()).toHaveLength(1);
      expect(captured.text()).not.toContain(CANARY);
      expect(captured.text()).toContain('[secret]');
    },
  );

  test.each<[string, object]>([
    ['err', { err: clientError() }],
    ['an error under another name', { error: clientError(), cause: clientError() }],
    ['a cause', { err: new Error('outer', { cause: clientError() }) }],
    [
      'a cause of a cause',
      { err: new Error('outer', { cause: new Error('inner', { cause: clientError() }) }) },
    ],
    ['a cause that is no error', { err: new Error('outer', { cause: { headers: CANARY } }) }],
    ['something thrown that is no error', { err: { response: CANARY } }],
  ])('%s', (_where, facts) => {
    const captured = logged((log) => log.error(facts, 'x'));
    expect(captured.lines()).toHaveLength(1);
    expect(captured.text()).not.toContain(CANARY);
  });

  test('an error given as the line itself', () => {
    const captured = logged((log) => log.error(clientError('went wrong')));
    expect(captured.text()).not.toContain(CANARY);
    expect(captured.lines()[0]).toMatchObject({ err: { message: 'went wrong', code: 'ERR_X' } });
  });

  test('a Secret is masked anywhere and in any print', () => {
    const secret = new Secret(CANARY);
    const captured = logged((log) => {
      log.info({ deep: { er: { and: { deeper: [secret] } } }, text: `a ${String(secret)}` }, 'x');
      log.child({ secretOfChild: secret }).info({ inspected: inspect({ secret }) }, String(secret));
    });
    expect(captured.lines()).toHaveLength(2);
    expect(captured.text()).not.toContain(CANARY);
    expect(Object.values(secret)).toEqual([]);
    expect(secret.reveal()).toBe(CANARY);
  });
});

describe('plainError', () => {
  test('logs type, message, code, stack and causes', () => {
    const inner = Object.assign(new TypeError('inner'), { code: 7 });
    expect(plainError(new Error('outer', { cause: inner }))).toEqual({
      type: 'Error',
      message: 'outer',
      stack: expect.stringContaining('outer'),
      cause: { type: 'TypeError', message: 'inner', code: 7, stack: expect.any(String) },
    });
  });

  test('ends at a cyclic chain of causes', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(JSON.stringify(plainError(loop)).match(/"message":"loop"/g)!.length).toBeLessThanOrEqual(6);
  });

  test.each([
    ['text', { message: 'text' }],
    [42, { type: 'number' }],
    [undefined, { type: 'undefined' }],
    [null, { type: 'object' }],
  ])('of %j', (thrown, expected) => expect(plainError(thrown)).toEqual(expected));
});

test('ignoreFailure logs the reason and continues', async () => {
  const captured = capturedLog();
  const log = createLog({ service: 'x', level: 'info', destination: captured });
  await ignoreFailure(Promise.reject(new Error('away')), 'nobody waits for it', log);
  await ignoreFailure(Promise.resolve(), 'nobody waits for it', log);
  expect(captured.with('failure.ignored')).toEqual([
    expect.objectContaining({
      level: 'warn',
      why: 'nobody waits for it',
      err: expect.objectContaining({ message: 'away' }),
    }),
  ]);
});
