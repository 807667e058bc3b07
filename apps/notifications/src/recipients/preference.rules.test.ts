// Preferences as a table: category by channel, required ones among them; and what a change leaves.
import { describe, expect, test } from '@jest/globals';
import { changed, isSwitchedOff, type Category, type SwitchedOff } from './preference.rules.ts';

const category = (id: string, required = false): Category => ({ id, name: id, description: null, required });
const news = category('news');
const alarm = category('alarm', true);
const off: SwitchedOff = { news: ['email', 'web_push'], alarm: ['email', 'chat', 'in_app', 'web_push'] };

test.each<[string, Category | undefined, SwitchedOff | undefined, string[]]>([
  ['news, of which two are switched off', news, off, ['email', 'web_push']],
  ['alarm, which is required', alarm, off, []],
  ['a category that nothing was said of', category('other'), off, []],
  ['a category called as a member of every object', category('constructor'), off, []],
  ['no category', undefined, off, []],
  ['nobody who is known', news, undefined, []],
])('%s', (_what, of, switchedOff, stopped) => {
  const all = ['chat', 'email', 'in_app', 'web_push', 'webhook'];
  expect(all.filter((channel) => isSwitchedOff(switchedOff, of, channel))).toEqual(stopped);
});

test('a webhook is nobody’s', () => {
  expect(isSwitchedOff({ news: ['webhook'] }, news, 'webhook')).toBe(false);
});

describe('a change', () => {
  test.each<[string, Parameters<typeof changed>[1], SwitchedOff]>([
    ['nothing', {}, { news: ['email', 'web_push'] }],
    ['off', { news: { chat: false } }, { news: ['chat', 'email', 'web_push'] }],
    ['off again', { news: { email: false } }, { news: ['email', 'web_push'] }],
    ['on', { news: { email: true } }, { news: ['web_push'] }],
    ['all on', { news: { email: true, web_push: true } }, {}],
    ['another one', { tips: { in_app: false } }, { news: ['email', 'web_push'], tips: ['in_app'] }],
    ['one that is no more', { gone: { in_app: false } }, { news: ['email', 'web_push'] }],
  ])('%s', (_what, changes, expected) => {
    const before = { news: ['email', 'web_push'], old: ['email'] };
    expect(changed(before, changes, [news, category('tips')])).toEqual(expected);
  });
});
