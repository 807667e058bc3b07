// A bundle that would not find a file beside it is not made.
import { expect, test } from '@jest/globals';
import { refuseMissing } from './bundle.ts';

const bundled = (text: string) => [{ path: '/dist/apps/x/chunks/chunk-1.mjs', text }];
const declared = 'function shippedPath(name, inSource) { return join(__bundleFolder, name); }\n';

test.each([
  [`${declared}shippedPath("page", () => "");`, []],
  [`shippedPath2("page", () => ""); shippedPath("thread.mjs", () => "");`, ['page']],
  [`shippedPath(\n  "page",\n  () => "");`, ['thread.mjs']],
  [`shippedPath(page, () => "");`, ['page']], // a name that cannot be read here
])('%j with %j', (code, shipped) => {
  expect(() => refuseMissing('x', bundled(code), shipped)).toThrow(/^x asks for .*(page|thread\.mjs)/);
});

test('what ships is found, in any chunk and under any name of the function', () => {
  const code = `${declared}shippedPath("page", () => "");\nthreadOf(shippedPath3("thread.mjs", () => ""));`;
  expect(() => refuseMissing('x', bundled(code), ['page', 'thread.mjs'])).not.toThrow();
});
