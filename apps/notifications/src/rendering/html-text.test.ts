import { expect, test } from '@jest/globals';
import { toText } from './html-text.ts';
import { createMeter } from './meter.ts';
import { MESSAGE_CHARS_MAX } from './text-limits.ts';

const read = (html: string) => toText(html, createMeter('send'));

test.each<[string, string | undefined]>([
  ['<h1>Hi Ada</h1><p>It is <b>on</b> its way &amp; &lt;ok&gt;.</p>', 'Hi Ada\n\nIt is on its way & <ok>.'],
  ['<ul><li>one</li><li>two</li></ul>', '* one\n * two'],
  ['<a href="https://a.example/1">Order</a>', 'Order [https://a.example/1]'],
  ['<a href="https://a.example">https://a.example</a>', 'https://a.example'],
  ['<a href="[unsubscribe_url]">Unsubscribe</a>', 'Unsubscribe [[unsubscribe_url]]'],
  ['<html><head><style>p { color: red }</style><script>go()</script></head><body>Text</body></html>', 'Text'],
  ['<img src="logo.png" alt="Logo">', undefined],
  ['<p>unclosed <b>tags', 'unclosed tags'],
])('%s', (html, text) => expect(read(html)).toBe(text));

test('cuts a long page, never inside of a character', () => {
  const long = read('😀'.repeat(MESSAGE_CHARS_MAX))!;
  expect(long.length).toBeLessThanOrEqual(MESSAGE_CHARS_MAX);
  expect(long.endsWith('😀…')).toBe(true);
});

test('counts as work of the template', () => {
  const meter = createMeter('small');
  expect(() => toText('<p>a</p>'.repeat(10_000), meter)).toThrow('text of the HTML: makes too much text');
  expect(meter.isSpent).toBe(true);
});
