import { expect, test } from '@jest/globals';
import { broughtBytes, BROUGHT_BYTES_MAX, emptyMail, mailOf, tooMuch } from './mail.rules.ts';

const terms = { filename: 'terms.pdf', url: ' https://example.com/terms.pdf ' };
const note = { filename: 'note.txt', content: 'VGVh', contentType: 'text/plain', bytes: 3 };

test('an empty form makes no members', () => expect(mailOf(emptyMail, false)).toEqual({}));

const full = {
  from: ' News <news@acme.example> ',
  replyTo: ' desk@example.com ',
  cc: 'ann@example.com, ben@example.com;',
  bcc: 'cem@example.com',
  html: '<p>Tea</p>',
  attached: [terms, note],
};
const link = { filename: 'terms.pdf', url: 'https://example.com/terms.pdf' };

test('copies, reply-to, HTML and attachments become members', () => {
  expect(mailOf(full, false)).toEqual({
    cc: ['ann@example.com', 'ben@example.com'],
    bcc: ['cem@example.com'],
    from: 'News <news@acme.example>',
    reply_to: 'desk@example.com',
    html: '<p>Tea</p>',
    attachments: [link, { filename: 'note.txt', content: 'VGVh', content_type: 'text/plain' }],
  });
});

test('a send to a topic has no copies and no uploads', () => {
  expect(mailOf(full, true)).toEqual({
    from: 'News <news@acme.example>',
    reply_to: 'desk@example.com',
    html: '<p>Tea</p>',
    attachments: [link],
  });
});

test('limits the number and size of uploads', () => {
  expect(broughtBytes([terms, note])).toBe(3);
  expect(tooMuch([note], [{ size: BROUGHT_BYTES_MAX - 3 }])).toBeUndefined();
  expect(tooMuch([note], [{ size: BROUGHT_BYTES_MAX - 2 }])).toContain('Add the address');
  expect(
    tooMuch(
      Array.from({ length: 10 }, () => terms),
      [{ size: 1 }],
    ),
  ).toContain('at most 10');
});
