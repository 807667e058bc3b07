// What a drill counts as lost, never reported, and reported twice.
import { expect, test } from '@jest/globals';
import { accountForDrill, type DrillItem, type Facts } from './account.rules.ts';

const item = (kind: DrillItem['kind'], id: string, atMs: number): DrillItem => ({
  kind,
  id,
  sentAtMs: atMs,
  acceptedAtMs: atMs + 10,
});
const reported = (fact: string, messageId: string, atMs: number) => ({ fact, messageId, atMs });
const ended = (id: string) => `${id}|conversation.ended|`;
const facts: Facts = {
  items: [
    item('talk', 'a', 0),
    item('call', 'b', 100),
    item('talk', 'c', 1_000),
    item('call', 'd', 1_000),
    item('send', 'e', 1_000),
  ],
  present: new Set(['a', 'c', 'd', 'e']),
  webhooks: [
    reported(ended('a'), 'evt_a', 20),
    reported(ended('a'), 'evt_a', 900),
    reported(ended('c'), 'evt_c', 1_500),
    reported(ended('d'), 'evt_d', 2_500),
    reported('e', 'dlv_e', 2_000),
  ],
  readers: { feed: new Set(['a', 'c', 'd']) },
  faultAtMs: 500,
  mayLose: ({ acceptedAtMs }) => acceptedAtMs >= 100,
};

test('a drill that kept its promises', () => {
  expect(accountForDrill(facts)).toEqual({
    accepted: 5,
    lost: 1,
    neverReported: 0,
    twiceUnderOneId: 1,
    twiceUnderTwoIds: 0,
    seconds: 2,
    problems: [],
  });
});

test('what breaks one', () => {
  const { webhooks } = facts;
  const broken: Facts = {
    ...facts,
    webhooks: [...webhooks.filter(({ fact }) => fact !== 'e'), reported(ended('c'), 'evt_other', 3_000)],
    readers: { feed: new Set(['a', 'c']) },
    mayLose: () => false,
  };
  expect(accountForDrill(broken)).toMatchObject({
    neverReported: 2,
    twiceUnderTwoIds: 1,
    seconds: null,
    problems: [
      'never reported: call d (feed)',
      'never reported: send e (webhook)',
      `reported under two ids: ${ended('c')}`,
      'lost without a reason: call b',
      'not every kind of work went on',
    ],
  });
});
