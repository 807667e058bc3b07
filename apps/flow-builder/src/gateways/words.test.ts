import { describe, expect, test } from '@jest/globals';
import { readWords, stem } from './words.ts';

const said = (text: string, reach: 'clause' | 'next' = 'clause') =>
  readWords(text, reach).map(({ stem, negated }) => (negated ? `not ${stem}` : stem));

describe('stem', () => {
  test.each([
    ['cancel cancels cancelled canceled cancelling canceling cancellation cancellations'],
    ['bill bills billed billing'],
    ['charge charges charged charging'],
    ['reserve reserved reserving reservation'],
    ['pay pays paying payment payments'],
    ['reply replies replied'],
    ['delivery deliveries'],
    ['box boxes'],
    ['ship shipped shipping shipment'],
  ])('%s are one', (forms) => {
    expect(new Set(forms.split(' ').map(stem)).size).toBe(1);
  });

  test.each(['need', 'speed', 'thing', 'string', 'bus', 'status', 'red', 'king', 'bed', 'moment', 'station'])(
    '%s keeps its letters',
    (word) => expect(stem(word)).toBe(word),
  );

  test.each(['4711', 'größe', 'b2b', '予約'])('%s stays as it is', (word) => expect(stem(word)).toBe(word));
});

describe('readWords', () => {
  test.each([
    ['I want to cancel my booking', ['cancel', 'book']],
    ['The CAFÉ’s  ﬁnest table', ['caf', 'finest', 'tabl']],
    ["I don't want to cancel my booking", ['not cancel', 'not book']],
    ["I don't want to cancel, I want to change", ['not cancel', 'chang']],
    ["it doesn't work", ['not work']],
    ['it doesnt work', ['not work']],
    ["I can't log in", ['log']],
    ['I can not log in', ['log']],
    ["I won't pay but I will return it", ['not pay', 'return']],
    ['no', ['no']],
    ['No, thanks', ['no']],
    ['no I want to pay', ['no', 'pay']],
    ['no refund', ['not refund']],
    ['yes or no', ['yes', 'no']],
    ['we say no, cancel it', ['no', 'cancel']],
    ['yeah sure', ['yes', 'yes']],
    ["l'abonnement d'été", ['l', 'abon', 'd', 'ete']],
    ['予約をキャンセル', ['予約', 'を', 'キャンセル']],
    ['', []],
    ['?! ...', []],
    ["'' '", []],
  ])('%j', (text, words) => expect(said(text)).toEqual(words));

  test('in conditions a "not" negates one word', () => {
    expect(said('not working or broken', 'next')).toEqual(['not work', 'broken']);
    expect(said('not working or broken', 'clause')).toEqual(['not work', 'not broken']);
  });

  test('general words are marked', () => {
    expect(readWords('a problem with the bill', 'next').map(({ stem, generic }) => [stem, generic])).toEqual([
      ['problem', true],
      ['bil', false],
    ]);
  });
});
