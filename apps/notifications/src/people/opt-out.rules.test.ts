// Preferences: everything, by channel, by category and channel; required and opt-in categories; and
// the effect of changes.
import { describe, expect, test } from '@jest/globals';
import {
  applyChanges,
  isSwitchedOff,
  type Category,
  type ChannelSets,
  type ChoiceChanges,
} from './opt-out.rules.ts';

const category = (id: string, more: Partial<Category> = {}): Category => ({
  id,
  name: id,
  description: null,
  required: false,
  optIn: false,
  ...more,
});
const news = category('news');
const tips = category('tips', { optIn: true });
const alarm = category('alarm', { required: true });
const CHANNELS = ['chat', 'email', 'in_app', 'web_push', 'webhook'];
const PERSONAL = CHANNELS.slice(0, 4);
const stopped = (switchedOff: ChannelSets, switchedOn: ChannelSets, of: Category | undefined) =>
  CHANNELS.filter((channel) => isSwitchedOff({ switchedOff, switchedOn }, of, channel));
const off: ChannelSets = { news: ['email', 'web_push'], alarm: PERSONAL };

test.each<[string, Category | undefined, ChannelSets, ChannelSets, string[]]>([
  ['news on two switched-off channels', news, off, {}, ['email', 'web_push']],
  ['alarm, which is required', alarm, off, {}, []],
  ['a category without preferences', category('other'), off, {}, []],
  ['a category named like a member of every object', category('constructor'), off, {}, []],
  ['no category', undefined, { '*': ['*'] }, {}, []],
  ['everything', news, { '*': ['*'] }, { news: ['chat'] }, PERSONAL],
  ['everything but what is required', alarm, { '*': ['*'] }, {}, []],
  ['a channel', news, { '*': ['email'], news: ['chat'] }, {}, ['chat', 'email']],
  ['an opt-in category', tips, {}, {}, PERSONAL],
  ['an opt-in category with a channel', tips, {}, { tips: ['email'] }, ['chat', 'in_app', 'web_push']],
  [
    'an opt-in category and a channel off',
    tips,
    { '*': ['email'] },
    { tips: ['email', 'chat'] },
    ['email', 'in_app', 'web_push'],
  ],
  ['an opt-in category that was switched off', tips, { tips: ['email'] }, { tips: ['email'] }, PERSONAL],
])('%s', (_what, of, switchedOff, switchedOn, expected) => {
  expect(stopped(switchedOff, switchedOn, of)).toEqual(expected);
});

test.each([
  [news, false],
  [tips, true],
  [alarm, false],
])('an unknown recipient: %j', (of, isOff) => {
  expect(isSwitchedOff(undefined, of, 'email')).toBe(isOff);
});

test('a webhook has no preferences', () => {
  const choices = { switchedOff: { news: ['webhook'], '*': ['*'] }, switchedOn: {} };
  expect(isSwitchedOff(choices, news, 'webhook')).toBe(false);
});

describe('a change', () => {
  const before = { news: ['email', 'web_push'] };
  const changed = { switchedOff: before, switchedOn: {} };
  test.each<[string, ChoiceChanges, object]>([
    ['nothing', {}, {}],
    [
      'off',
      { categories: { news: { chat: false } } },
      { switchedOff: { news: ['chat', 'email', 'web_push'] } },
    ],
    ['off again', { categories: { news: { email: false } } }, {}],
    ['on', { categories: { news: { email: true } } }, { switchedOff: { news: ['web_push'] } }],
    ['all on', { categories: { news: { email: true, web_push: true } } }, { switchedOff: {} }],
    [
      'another',
      { categories: { other: { in_app: false } } },
      { switchedOff: { ...before, other: ['in_app'] } },
    ],
    ['of a deleted category', { categories: { gone: { in_app: false } } }, {}],
    ['everything off', { all: false }, { switchedOff: { ...before, '*': ['*'] } }],
    ['a channel off', { channels: { chat: false } }, { switchedOff: { ...before, '*': ['chat'] } }],
    ['opt-in on', { categories: { tips: { email: true } } }, { switchedOn: { tips: ['email'] } }],
    [
      'opt-in off',
      { categories: { tips: { email: false } } },
      { switchedOff: { ...before, tips: ['email'] } },
    ],
  ])('%s', (_what, changes, expected) => {
    const given = { switchedOff: { ...before, old: ['email'] }, switchedOn: { old: ['email'] } };
    expect(applyChanges(given, changes, [news, category('other'), tips])).toEqual({
      ...changed,
      ...expected,
    });
  });

  test('everything off and on again leaves the other choices', () => {
    const all = [news, tips];
    const given = { switchedOff: { ...before, '*': ['chat'] }, switchedOn: { tips: ['email'] } };
    const without = applyChanges(given, { all: false }, all);
    expect(applyChanges(without, { all: true }, all)).toEqual(given);
  });
});
