import { describe, expect, test } from '@jest/globals';
import { LINKS_MAX, trackHtml } from './track-links.ts';

const base = 'https://notify.example';
const addresses = { base, linkTo: (target: string) => `to(${target})`, picture: 'picture' };
const clicks = (html: string) => trackHtml(html, { opens: false, clicks: true }, addresses);
const opens = (html: string) => trackHtml(html, { opens: true, clicks: false }, addresses);
const PICTURE = '<img src="picture" width="1" height="1" alt="">';

describe('links', () => {
  test.each([
    ['<a href="https://a.example/x?a=1&amp;b=2">', '<a href="to(https://a.example/x?a=1&b=2)">'],
    [
      "<A class=x HREF='http://a.example'\r\n id=y>ü</A>",
      '<A class=x href="to(http://a.example/)"\r\n id=y>ü</A>',
    ],
    [
      '<a href= https://a.example/ >😀</a>\r\n<a href=https://b.example>',
      '<a href="to(https://a.example/)" >😀</a>\r\n<a href="to(https://b.example/)">',
    ],
    ['<a href="https://bücher.example/ü">', '<a href="to(https://xn--bcher-kva.example/%C3%BC)">'],
    ['<area href="https://a.example">', '<area href="to(https://a.example/)">'],
    [
      '<a href="https://a.example" href="https://b.example">',
      '<a href="to(https://a.example/)" href="https://b.example">',
    ],
  ])('%s', (html, tracked) => expect(clicks(html)).toBe(tracked));

  test.each([
    '<a href="mailto:ann@a.example">',
    '<a href="tel:+4930">',
    '<a href="javascript:alert(1)">',
    '<a href="/path">',
    '<a href="//a.example">',
    '<a href="#top">',
    '<a href="https://">',
    '<a name="https://a.example">',
    `<a href="https://a.example/${'x'.repeat(2_048)}">`,
    `<a href="https://a.example/${'用'.repeat(400)}">`,
    `<a href="${base}/v1/unsubscribe?link=x">`,
    `<a href="${base}/v1/preferences?link=x">`,
    '<img src="https://a.example"><link href="https://a.example">',
    '<!-- <a href="https://a.example"> -->',
    '<style>/* <a href="https://a.example"> */</style>',
    '<title><a href="https://a.example"></title>',
    '<a href="https://a.example',
  ])('%s stays as it is', (html) => expect(clicks(html)).toBe(html));

  test('rewrites only the first links of a long mail', () => {
    const html = '<a href="https://a.example">'.repeat(LINKS_MAX + 1);
    expect(clicks(html).match(/to\(/g)).toHaveLength(LINKS_MAX);
  });

  test('takes linear time for hostile HTML', () => {
    const html = '<a href=x><b>'.repeat(20_000);
    const before = process.cpuUsage();
    expect(clicks(html)).toBe(html);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000); // µs
  });
});

test.each([
  ['<p>Hi</p>', `<p>Hi</p>${PICTURE}`],
  ['<html><body>Hi</BODY ></html>', `<html><body>Hi${PICTURE}</BODY ></html>`],
])('the picture is last in the body: %s', (html, tracked) => expect(opens(html)).toBe(tracked));

test('both', () => {
  const tracked = trackHtml('<a href="https://a.example">x</a>', { opens: true, clicks: true }, addresses);
  expect(tracked).toBe(`<a href="to(https://a.example/)">x</a>${PICTURE}`);
});
