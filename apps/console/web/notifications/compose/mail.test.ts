import { expect, test } from '@jest/globals';
import { broughtBytes, BROUGHT_BYTES_MAX, emptyMail, mailOf, tooMuch } from './mail.rules.ts';

const terms = { filename: 'terms.pdf', url: ' https://example.com/terms.pdf ' };
const note = { filename: 'note.txt', content: 'VGVh', contentType: 'text/plain', bytes: 3 };

test('nothing filled in is nothing asked for', () => expect(mailOf(emptyMail, false)).toEqual({}));

const full = {
  replyTo: ' desk@example.com ',
  cc: 'ann@example.com, ben@example.com;',
  bcc: 'cem@example.com',
  html: '<p>Tea</p>',
  attached: [terms, note],
};
const link = { filename: 'terms.pdf', url: 'https://example.com/terms.pdf' };

test('copies, answers, HTML and files become members', () => {
  expect(mailOf(full, false)).toEqual({
    cc: ['ann@example.com', 'ben@example.com'],
    bcc: ['cem@example.com'],
    reply_to: 'desk@example.com',
    html: '<p>Tea</p>',
    attachments: [link, { filename: 'note.txt', content: 'VGVh', content_type: 'text/plain' }],
  });
});

test('to a topic go no copies, and no file that would be kept for every member', () => {
  expect(mailOf(full, true)).toEqual({
    reply_to: 'desk@example.com',
    html: '<p>Tea</p>',
    attachments: [link],
  });
});

test('files are brought along as far as a request takes them', () => {
  expect(broughtBytes([terms, note])).toBe(3);
  expect(tooMuch([note], [{ size: BROUGHT_BYTES_MAX - 3 }])).toBeUndefined();
  expect(tooMuch([note], [{ size: BROUGHT_BYTES_MAX - 2 }])).toContain('Give the address');
  expect(
    tooMuch(
      Array.from({ length: 10 }, () => terms),
      [{ size: 1 }],
    ),
  ).toContain('At most 10');
});
