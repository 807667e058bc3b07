import { expect, test } from '@jest/globals';
import {
  isChanged,
  placeOf,
  requestOf,
  saysItsOwn,
  withLanguage,
  withText,
  withWords,
  type Draft,
} from './words.rules.ts';

const draft: Draft = {
  default_locale: 'en',
  locales: [
    {
      locale: 'en',
      subject: 'Order {{ number }}',
      message: 'It is on its way.',
      email: { html: '<p>On its way</p>' },
    },
  ],
};

test('omits empty texts and channels without their own text', () => {
  let words = withText(draft.locales[0]!, 'chat', 'text', 'Hello');
  words = withText(words, 'email', 'html', '');
  words = withText(words, undefined, 'subject', '');
  expect(saysItsOwn(words, 'email')).toBe(false);
  expect(requestOf(withWords(draft, words), true)).toEqual({
    default_locale: 'en',
    locales: [{ locale: 'en', message: 'It is on its way.', chat: { text: 'Hello' } }],
    publish: true,
  });
});

test('keeps the sender, and headers that the editor does not show', () => {
  const email = { text: 'Hello', from: 'News <news@acme.example>', headers: { 'X-Campaign': 'spring' } };
  const words = { ...draft.locales[0]!, email };
  expect(requestOf(withWords(draft, words), false).locales[0]!.email).toEqual(email);
  const other = requestOf(withWords(draft, withText(words, 'email', 'from', '')), false).locales[0]!;
  expect(other.email).toEqual({ text: 'Hello', headers: { 'X-Campaign': 'spring' } });
});

test('an undone edit is no change', () => {
  const written = withWords(draft, withText(draft.locales[0]!, 'in_app', 'title', 'Order'));
  expect(isChanged(written, draft)).toBe(true);
  expect(isChanged(withWords(draft, withText(written.locales[0]!, 'in_app', 'title', '')), draft)).toBe(
    false,
  );
});

test('a new language starts as a copy of the default one', () => {
  const two = withLanguage(draft, 'de');
  expect(two.locales.map(({ locale, message }) => [locale, message])).toEqual([
    ['en', 'It is on its way.'],
    ['de', 'It is on its way.'],
  ]);
  expect(two.locales[1]!.email).toEqual(draft.locales[0]!.email);
});

test.each([
  [
    '/locales/0/email/html: output "{{ name" not closed; /locales/0/message: is odd',
    { language: 'en', channel: 'email' },
  ],
  ['/locales/0/message: tag "{% if" not closed', { language: 'en' }],
  ['/locales/7/message: is unknown', null],
  ['html of email: undefined variable: name', { channel: 'email' }],
  ['message: undefined variable: name', {}],
  ['no template "order"', null],
])('finds the field of the error %s', (message, place) => {
  expect(placeOf(message, draft)).toEqual(place);
});
