import { expect, test } from '@jest/globals';
import { createSampleRecipient, readsRecipient } from './sample-recipient.rules.ts';

const known = { id: 'a member of the topic', attributes: {}, language: null, time_zone: 'UTC' };

test.each<[string, object]>([
  ['Hi {{ recipient.attributes.name }}', { attributes: { name: '[name]' } }],
  ['{{ recipient[\'attributes\'][ "first name" ] }}', { attributes: { 'first name': '[first name]' } }],
  ['{% if recipient.attributes.a.b %}{{ recipient.attributes.a }}', { attributes: { a: { b: '[b]' } } }],
  ['{{ recipient.attributes.a }}{{ recipient.attributes.a.b }}', { attributes: { a: { b: '[b]' } } }],
  ['{{ recipient.language }} {{ recipient.time_zone }}', { language: '[language]', time_zone: 'UTC' }],
  ['{{ recipient.__proto__.polluted }}', {}],
  ['{{ recipients.x }} {{ name }}', {}],
])('%s', (message, expected) => {
  expect(createSampleRecipient([{ message }], known)).toEqual({ ...known, ...expected });
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});

test('finds the recipient in the texts of every channel', () => {
  expect(readsRecipient({ message: 'x', email: { html: '{{ recipient.id }}' } })).toBe(true);
  expect(readsRecipient({ message: 'Dear recipients, {{ name }}' })).toBe(false);
  const words = { message: 'x', chat: { text: '{{ recipient.attributes.team }}' } };
  expect(createSampleRecipient([{ message: 'y' }, words], known)).toMatchObject({
    attributes: { team: '[team]' },
  });
});
