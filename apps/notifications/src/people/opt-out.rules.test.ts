// Preferences by category and channel, including required categories, and the effect of changes.
import { describe, expect, test } from '@jest/globals';
import { applyChanges, isSwitchedOff, type Category, type SwitchedOff } from './opt-out.rules.ts';

const category = (id: string, required = false): Category => ({ id, name: id, description: null, required });
const news = category('news');
const alarm = category('alarm', true);
const off: SwitchedOff = { news: ['email', 'web_push'], alarm: ['email', 'chat', 'in_app', 'web_push'] };

test.each<[string, Category | undefined, SwitchedOff | undefined, string[]]>([
  ['news on two switched-off channels', news, off, ['email', 'web_push']],
  ['alarm, which is required', alarm, off, []],
  ['a category without preferences', category('other'), off, []],
  ['a category named like a member of every object', category('constructor'), off, []],
  ['no category', undefined, off, []],
  ['an unknown recipient', news, undefined, []],
])('%s', (_what, of, switchedOff, stopped) => {
  const all = ['chat', 'email', 'in_app', 'web_push', 'webhook'];
  expect(all.filter((channel) => isSwitchedOff(switchedOff, of, channel))).toEqual(stopped);
});

test('a webhook has no preferences', () => {
  expect(isSwitchedOff({ news: ['webhook'] }, news, 'webhook')).toBe(false);
});

describe('a change', () => {
  test.each<[string, Parameters<typeof applyChanges>[1], SwitchedOff]>([
    ['nothing', {}, { news: ['email', 'web_push'] }],
    ['off', { news: { chat: false } }, { news: ['chat', 'email', 'web_push'] }],
    ['off again', { news: { email: false } }, { news: ['email', 'web_push'] }],
    ['on', { news: { email: true } }, { news: ['web_push'] }],
    ['all on', { news: { email: true, web_push: true } }, {}],
    ['another one', { tips: { in_app: false } }, { news: ['email', 'web_push'], tips: ['in_app'] }],
    ['of a deleted category', { gone: { in_app: false } }, { news: ['email', 'web_push'] }],
  ])('%s', (_what, changes, expected) => {
    const before = { news: ['email', 'web_push'], old: ['email'] };
    expect(applyChanges(before, changes, [news, category('tips')])).toEqual(expected);
  });
});
