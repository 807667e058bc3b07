// The small decisions around `npm start`.
import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { portBase } from './port-base.ts';
import { isSecondPress } from './signals.ts';
import { curlLines } from './welcome.ts';

test.each([
  [undefined, 3001],
  ['', 3001],
  ['4001', 4001],
])('PORT_BASE=%s is %i', (text, port) => {
  expect(portBase({ PORT_BASE: text })).toBe(port);
});

test.each(['0', '1', '65533', '3001.5', 'http', '-1'])('PORT_BASE=%s is refused', (text) => {
  expect(() => portBase({ PORT_BASE: text })).toThrow(
    `PORT_BASE must be a whole number from 2 to 65532, not "${text}".`,
  );
});

test('the echo of a Ctrl-C is no second one', () => {
  expect(isSecondPress(1_000, 1_003)).toBe(false);
  expect(isSecondPress(1_000, 1_500)).toBe(false);
  expect(isSecondPress(1_000, 2_000)).toBe(true);
});

test('a shell takes each curl line apart as it is meant', () => {
  const lines = curlLines({ baseUrl: 'http://127.0.0.1:3001', apiKey: 'fb_test_x' }, 'bot_1');
  const [create, publish, execute] = lines.map((line) =>
    execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n'),
  );
  const head = ['-H', 'authorization: Bearer fb_test_x', '-H', 'content-type: application/json', '-d'];
  expect(create?.slice(0, -1)).toEqual(['-sS', 'http://127.0.0.1:3001/v1/flows', ...head]);
  expect(JSON.parse(create?.at(-1) ?? '')).toMatchObject({
    flow_id: 'greeting',
    definition: { nodes: [{ id: 'start' }, { id: 'bye' }] },
  });
  expect(publish).toEqual(['-sS', 'http://127.0.0.1:3001/v1/flows/greeting/publish', ...head, '{}']);
  expect(execute?.[1]).toBe('http://127.0.0.1:3001/product/v1/flows/greeting/execute');
  expect(JSON.parse(execute?.at(-1) ?? '')).toMatchObject({
    bot_id: 'bot_1',
    current_node: 'start',
    user_input: 'Ada',
  });
});
