import { expect, test } from '@jest/globals';
import { htmlShown } from './html-view.rules.ts';

const shown = (html: string) => /<body>(.*)<\/body>/s.exec(htmlShown(html, 'en').srcdoc)?.[1];

test.each([
  ['a script', 'a<script>alert(1)</script>b', 'ab'],
  ['a handler', '<b onclick="go()">b</b>', '<b>b</b>'],
  ['a frame', '<iframe src="https://x.example"></iframe>', ''],
  ['a picture from elsewhere', '<img src="https://x.example/p.gif" alt="Logo">', '<img alt="Logo">'],
  ['a picture by another name', '<td background="/x"><img srcset="/y 2x">', '<img>'],
  ['a form', '<form action="/session"><input></form>', '<form><input></form>'],
  ['a refresh', '<meta http-equiv="refresh" content="0;url=/keys">', ''],
])('removes %s', (_what, html, left) => expect(shown(html)).toBe(left));

test('shows the address of a link without linking, and shows embedded images', () => {
  expect(shown('<a href="https://x.example/o">Order</a><img src="data:image/png;base64,AA==">')).toBe(
    '<a title="https://x.example/o">Order</a><img src="data:image/png;base64,AA==">',
  );
});

test('collects styles in document order', () => {
  const { srcdoc, sheet } = htmlShown(
    '<style>p { color: red }</style><style>b { top: 0 }</style><p style="color: blue">P</p><style>p { margin: 0 }</style>',
    'de',
  );
  expect(sheet).toBe('p { color: red }\nb { top: 0 }\np { margin: 0 }');
  expect(srcdoc).toBe('<html lang="de"><head></head><body><p data-style="color: blue">P</p></body></html>');
});
