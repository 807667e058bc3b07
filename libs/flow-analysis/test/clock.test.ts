// The time as a flow reads it: in the variable `timezone`, in conditions and templates alike.
import { expect, test } from '@jest/globals';
import { TurnBudget } from '@parley/flow-engine';
import { branch, end, when } from './examples/pieces.ts';
import { flowOf, noonMs, play, playTurn, texts } from '@parley/flow-engine/testing';

const telling = flowOf([end('end', { text: '{{ _now }} {{ _today }} {{ _weekday }}' })]);

test.each([
  [undefined, '2026-11-20T12:00:00Z 2026-11-20 friday'],
  ['UTC', '2026-11-20T12:00:00Z 2026-11-20 friday'],
  ['Europe/Berlin', '2026-11-20T13:00:00+01:00 2026-11-20 friday'],
  ['Pacific/Kiritimati', '2026-11-21T02:00:00+14:00 2026-11-21 saturday'],
  ['-12:30', '2026-11-19T23:30:00-12:30 2026-11-19 thursday'],
  ['Mars/Olympus', '2026-11-20T12:00:00Z 2026-11-20 friday'],
  ['x'.repeat(100), '2026-11-20T12:00:00Z 2026-11-20 friday'],
  [{ zone: 'UTC' }, '2026-11-20T12:00:00Z 2026-11-20 friday'],
])('in %p', (timezone, said) => {
  const variables = timezone === undefined ? {} : { timezone };
  expect(texts(playTurn(telling, { variables, nowMs: noonMs }))).toEqual([said]);
});

test('conditions compare it as they compare days, moments and words', () => {
  const flow = flowOf(
    [branch('b'), ...['weekend', 'before', 'after'].map((id) => end(id))],
    [
      when('b', 'weekend', '_weekday', 'in', ['Saturday', 'Sunday']),
      when('b', 'before', '_today', 'lt', '{{ opens }}'),
      when('b', 'after', '_now', 'gte', '2026-11-20T12:00:00Z'),
    ],
  );
  const comesTo = (nowMs: number, variables = {}) => playTurn(flow, { nowMs, variables }).lastNode;
  expect(comesTo(noonMs)).toBe('after');
  expect(comesTo(noonMs, { opens: '2026-11-21' })).toBe('before');
  expect(comesTo(noonMs + 86_400_000)).toBe('weekend');
});

test("the engine's names hide variables of the same name", () => {
  const variables = { _now: 'x', _today: 'y', _weekday: 'z' };
  expect(texts(playTurn(telling, { variables }))[0]).toBe('2026-11-20T12:00:00Z 2026-11-20 friday');
});

test.each([NaN, Infinity, 8.64e15, -8.64e15, 253_402_300_800_000, -62_167_219_200_001, 1e300])(
  'a clock of %p tells nothing, and nothing throws',
  (nowMs) => {
    expect(texts(playTurn(telling, { nowMs }))).toEqual(['  ']);
  },
);

test('reading the time counts against the budget', () => {
  const edges = Array.from({ length: 25_000 }, () => when('b', 'end', '_now', 'eq', 'never'));
  expect(
    play(flowOf([branch('b'), end()], edges), { variables: { timezone: 'Europe/Berlin' } }),
  ).toMatchObject({
    kind: 'turn_too_costly',
    cost: 'text_characters',
  });
});

test('a webhook can send it, too', () => {
  const [webhook] = flowOf([{ id: 'w', type: 'webhook', payload: { at: '{{ _now }}' } }]).webhooks;
  expect(webhook?.renderPayload?.({ timezone: '+02:00' }, new TurnBudget(), noonMs)).toEqual({
    at: '2026-11-20T14:00:00+02:00',
  });
});
