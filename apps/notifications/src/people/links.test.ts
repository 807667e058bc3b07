// The unsubscribe POST of mail programs in both content types of RFC 8058 §3.2, and what is not
// one.
import { expect, test } from '@jest/globals';
import { isOneClick } from './links.ts';

const FORM = 'application/x-www-form-urlencoded';
/** RFC 8058 §8.3, except for the line ends. */
const part = (value: string) =>
  ['--XYZ', 'Content-Disposition: form-data; name="List-Unsubscribe"', '', value, '--XYZ--', ''].join('\r\n');
const MULTIPART = 'multipart/form-data; boundary=XYZ';

test.each<[string, string | undefined, string, boolean]>([
  ['the form of RFC 8058 §8.1', FORM, 'List-Unsubscribe=One-Click', true],
  ['a form with a charset', `${FORM}; charset=UTF-8`, 'List-Unsubscribe=One-Click', true],
  ['a form with another member', FORM, 'a=b&List-Unsubscribe=One-Click', true],
  ['multipart', MULTIPART, part('One-Click'), true],
  ['multipart with another value', MULTIPART, part('Two-Clicks'), false],
  ['another value', FORM, 'List-Unsubscribe=Two-Clicks', false],
  ['an empty body', FORM, '', false],
  ['another content type', 'text/plain', 'List-Unsubscribe=One-Click', false],
  ['no content type', undefined, 'List-Unsubscribe=One-Click', false],
  ['a form with a multipart content type', MULTIPART, 'List-Unsubscribe=One-Click', false],
])('%s', (_what, type, body, expected) => {
  expect(isOneClick(type, body)).toBe(expected);
});
