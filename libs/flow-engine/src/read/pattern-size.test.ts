// The estimated size of a pattern is never less than what RE2 compiles it to.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';
import { compilePattern } from './patterns.ts';

/** Null for an invalid pattern. */
function compiledSize(pattern: string): number | null {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return null;
  }
}

test.each([
  'abc',
  'a|b|c',
  '(a(b(c)))',
  '(?:a?){99}',
  '(?P<name>a+)|(?<other>b*)',
  '(?i:ab){2,7}(?s).',
  '[]a-z]{3}',
  '[^]]*[[:alpha:]\\]]+',
  '\\Q(a{9}\\E{3}',
  '\\pL{20}\\p{Greek}\\x{10FFFF}\\x41\\101\\d\\b',
  'a{0}b{,3}c{2,}d{0,}',
  '^$|()*',
  'x**?',
  'a{7,}(?i){7,}',
  '(?:(?:a{3}){4}){5}',
])('%s', (pattern) => {
  expect(patternSize(pattern)).toBeGreaterThanOrEqual(compiledSize(pattern) ?? 0);
});

test('of any pattern', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      '.',
      '\\d',
      '\\pN',
      '[a-f]',
      '[^x]',
      '(',
      '(?:',
      '(?i)',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '{3,5}',
      '{0,4}',
    ],
    ...['{7,}', '{', '}', '\\Qx+', '\\E', '^', '$', '\\b', '[', ']', '\\', '-'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const pattern = pieces.join('');
      const size = compiledSize(pattern);
      if (size !== null) expect(patternSize(pattern)).toBeGreaterThanOrEqual(size);
    }),
    { numRuns: 3_000 },
  );
});

test('a pattern that is too large is never compiled', () => {
  const started = process.cpuUsage();
  for (const pattern of [
    '((a{1000}){1000}){1000}',
    '(?:a?){999}{999}',
    '(?:\\pL{900}){900}',
    '(x{500}){500}|'.repeat(50),
  ])
    expect(compilePattern(pattern, true)).toMatchObject({ ok: false });
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
});
