import { describe, expect, test } from '@jest/globals';
import { isAddress } from '../../addresses/email-address.ts';
import { literalSubject } from './literal-subject.ts';
import { isSender, parseMailbox } from '../../addresses/mailbox.rules.ts';
import { buildMail, oneLine, type MailFacts } from './mail.rules.ts';

const facts: MailFacts = {
  from: 'Acme <alerts@acme.example>',
  replyTo: undefined,
  to: 'ann@customer.example',
  subject: 'Hello',
  message: 'World',
  notificationId: 'ntf_1',
  deliveryId: 'dlv_1',
  date: new Date(0),
};

describe('mailboxOf', () => {
  test.each([
    ['a@b.example', { name: undefined, address: 'a@b.example' }],
    ['Acme <a@b.example>', { name: 'Acme', address: 'a@b.example' }],
    ['"Acme, Inc." <a@b.example>', { name: 'Acme, Inc.', address: 'a@b.example' }],
    ['"The \\"Best\\"" <a@b.example>', { name: 'The "Best"', address: 'a@b.example' }],
    [' <a@b.example> ', { name: undefined, address: 'a@b.example' }],
  ])('%j', (text, mailbox) => expect(parseMailbox(text)).toEqual(mailbox));

  test.each([
    '',
    'acme',
    'a@b@c.example',
    'a@b.example, c@d.example',
    'a@b.example\r\nBcc: c@d.example',
    'Acme\r\nBcc: c@d.example <a@b.example>',
    'Acme <a@b.example> <c@d.example>',
    'Acme <a b@b.example>',
    `${'a'.repeat(65)}@b.example`,
    `a@${'b'.repeat(260)}`,
  ])('%j is not a mailbox', (text) => expect(parseMailbox(text)).toBeNull());
});

describe('mailOf', () => {
  test('is the same in every attempt', () => {
    expect(buildMail(facts)).toEqual(buildMail({ ...facts }));
    expect(buildMail(facts)).toMatchObject({ messageId: '<dlv_1@acme.example>', date: new Date(0) });
  });

  test('no line break gets into a header', () => {
    const mail = buildMail({ ...facts, subject: 'Hello\r\nBcc: eve@evil.example\u2028x\0' });
    expect(mail?.subject).toBe('Hello Bcc: eve@evil.example x');
    for (const wrong of [
      { to: 'ann@customer.example\r\nBcc: eve@evil.example' },
      { from: 'a@b.example\nX: y' },
      { replyTo: 'nobody' },
    ])
      expect(buildMail({ ...facts, ...wrong })).toBeNull();
  });

  test('a subject that looks encoded stays literal', () => {
    const subject = '=?utf-8?q?fake?=';
    expect(literalSubject(subject)).toBe(`=?UTF-8?B?${Buffer.from(subject).toString('base64')}?=`);
    expect(literalSubject('Hello')).toBe('Hello');
  });

  test('a message keeps its lines', () =>
    expect(buildMail({ ...facts, message: 'a\nb' })?.text).toBe('a\nb'));
  test('a subject of line breaks is empty', () => expect(oneLine('\r\n')).toBe(''));
});

test.each([
  ['alerts@acme.example', true],
  ['Alerts@ACME.example', true],
  ['news@acme.example', true],
  ['any@mail.acme.example', true],
  ['other@acme.example', false],
  ['any@evil.mail.acme.example', false],
  ['any@evilmail.acme.example', false],
  ['', false],
])('a mail from %j is allowed: %j', (address, allowed) =>
  expect(isSender(address, 'Acme <alerts@acme.example>', 'news@acme.example,@mail.acme.example')).toBe(
    allowed,
  ),
);

describe('isAddress', () => {
  test.each([
    'ann@customer.example',
    `${'a'.repeat(64)}@b.example`,
    "o'neil+tag@sub.b.example",
    'ann@bücher.example',
    'bücher@bücher.example',
    '用户@例え.example',
  ])('%j', (text) => expect(isAddress(text)).toBe(true));

  test.each([
    `${'a'.repeat(65)}@b.example`,
    `${'ü'.repeat(33)}@b.example`,
    'a..b@c.example',
    'a@b',
    'a@b..example',
    'a b@c.example',
    'ann@',
    '@b.example',
    'ann@exa_mple.example\n',
  ])('%j is not an address', (text) => expect(isAddress(text)).toBe(false));
});
