// The fragment of a link: what the hosted page reads, and what it ignores.
import { expect, test } from '@jest/globals';
import { chooseInk, readLink } from '../page/link.ts';

test.each([
  ['#token=ptl_a.b-c_d', { token: 'ptl_a.b-c_d' }],
  [
    '#token=ptl_1&color_scheme=dark&accent_color=%23ffb454',
    { token: 'ptl_1', colorScheme: 'dark', accentColor: '#ffb454' },
  ],
  ['#token=va_live_1&color_scheme=none&accent_color=red', {}],
  ['#accent_color=%23ffb454%3B', {}],
  ['', {}],
])('%s', (fragment, link) => {
  expect(readLink(fragment)).toEqual(link);
});

test.each([
  ['#ffb454', '#000000'],
  ['#0a6664', '#ffffff'],
  ['#000000', '#ffffff'],
  ['#ffffff', '#000000'],
] as const)('text on %s is %s', (background, ink) => {
  expect(chooseInk(background)).toBe(ink);
});
