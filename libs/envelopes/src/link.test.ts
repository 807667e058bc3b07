import { expect, test } from '@jest/globals';
import { httpsAddress, link } from './link.ts';

test.each([
  '/',
  '/orders/7?x=1#y',
  '/a:b',
  'https://a.example',
  'HTTPS://a.example/x',
  'https://user.example:8443/',
])('%s is a link', (text) => expect(link.safeParse(text).success).toBe(true));

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://a.example/x',
  'file:///etc/passwd',
  'myapp://x',
  'tel:+441632960000',
  'http://a.example',
  '//other.example',
  '/\\other.example',
  '\\\\other.example',
  '/\t/other.example',
  '/\n/other.example',
  'https:other.example',
  'https:///',
  'https://a b.example',
  'orders/7',
  '#x',
  '',
])('%j is not a link', (text) => expect(link.safeParse(text).success).toBe(false));

test('a path is not an address', () => expect(httpsAddress.safeParse('/x').success).toBe(false));
