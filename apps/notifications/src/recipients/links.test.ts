// What a mail program posts to unsubscribe, in the two types that RFC 8058 names (§3.2), and what is no such thing.
import { expect, test } from '@jest/globals';
import { isOneClick } from './links.ts';

const FORM = 'application/x-www-form-urlencoded';
/** RFC 8058 §8.3, but for the line ends. */
const part = (value: string) =>
  ['--XYZ', 'Content-Disposition: form-data; name="List-Unsubscribe"', '', value, '--XYZ--', ''].join('\r\n');
const MULTIPART = 'multipart/form-data; boundary=XYZ';

test.each<[string, string | undefined, string, boolean]>([
  ['the form of RFC 8058 §8.1', FORM, 'List-Unsubscribe=One-Click', true],
  ['with a charset', `${FORM}; charset=UTF-8`, 'List-Unsubscribe=One-Click', true],
  ['with another member', FORM, 'a=b&List-Unsubscribe=One-Click', true],
  ['in parts', MULTIPART, part('One-Click'), true],
  ['in parts, another value', MULTIPART, part('Two-Clicks'), false],
  ['another value', FORM, 'List-Unsubscribe=Two-Clicks', false],
  ['nothing', FORM, '', false],
  ['of another type', 'text/plain', 'List-Unsubscribe=One-Click', false],
  ['of no type', undefined, 'List-Unsubscribe=One-Click', false],
  ['the form, said to be in parts', MULTIPART, 'List-Unsubscribe=One-Click', false],
])('%s', (_what, type, body, expected) => {
  expect(isOneClick(type, body)).toBe(expected);
});
