// Malformed JSON, and the place that the error names.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AppError } from '@parley/envelopes';
import { parseJsonBody } from './read-body.ts';

/** The error for a text; undefined when it is valid. */
function faultOf(text: string): string | undefined {
  try {
    parseJsonBody(Buffer.from(text), { 'content-type': 'application/json' });
    return undefined;
  } catch (error) {
    const [problem] = (error as AppError).fields;
    return problem?.code === 'malformed_json' ? problem.message : undefined;
  }
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const placeIn = (fault: string | undefined) => {
  const [, line, column] = / at line (\d+), column (\d+)$/.exec(fault ?? '')!;
  return { line: Number(line), column: Number(column) };
};

describe('malformed JSON', () => {
  test.each([
    ['{"a":1,}', 'property name expected at line 1, column 8'],
    ['[1,]', 'value expected at line 1, column 4'],
    ['[,1]', 'value expected at line 1, column 2'],
    ['{"a" 1}', 'colon expected at line 1, column 6'],
    ['{a:1}', 'invalid symbol at line 1, column 2'],
    ["{'a':1}", 'invalid symbol at line 1, column 2'],
    ['{"a":x}', 'invalid symbol at line 1, column 6'],
    ['nul', 'invalid symbol at line 1, column 1'],
    ['01', 'end of file expected at line 1, column 2'],
    ['1.', 'unexpected end of number at line 1, column 3'],
    ['"a', 'unexpected end of string at line 1, column 3'],
    ['"a\nb"', 'unexpected end of string at line 1, column 3'],
    ['["\\x"]', 'invalid escape character at line 1, column 2'],
    ['["\\u12g4"]', 'invalid unicode at line 1, column 2'],
    ['["\t"]', 'invalid character at line 1, column 2'],
    ['[1}', 'comma expected at line 1, column 3'],
    ['{} {}', 'end of file expected at line 1, column 4'],
    ['[1] // one', 'invalid comment token at line 1, column 5'],
    ['\ufeff{}', 'invalid symbol at line 1, column 1'],
    ['[[[[', 'close bracket expected at line 1, column 5'],
    ['{\n  "text": x}', 'invalid symbol at line 2, column 11'],
    ['[\r\n\r\n"a', 'unexpected end of string at line 3, column 3'],
  ])('%j: %s', (text, fault) => expect(faultOf(text)).toBe(fault));

  test('is what JSON.parse refuses, with a place, for any JSON with a character removed, added or changed', () => {
    const spoilt = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', '\\', '}', ']', ',', ':', '0', '-', '.', 'e', ' ', '\n', 'n', '/'),
        fc.boolean(),
      )
      .map(([json, place, put, taken]) => {
        const at = place % (json.length + 1);
        return json.slice(0, at) + put + json.slice(at + (taken ? 1 : 0));
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), spoilt, fc.string()), (text) => {
        fc.pre(text.trim() !== ''); // counts as an absent body
        const fault = faultOf(text);
        expect(fault === undefined).toBe(parses(text));
        if (fault === undefined) return;
        const { line, column } = placeIn(fault);
        expect(column).toBeLessThanOrEqual(text.split(/\r\n|\r|\n/)[line - 1]!.length + 1);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the text before the place could be the beginning of JSON', () => {
    const inString = (text: string) => text.replaceAll(/\\./g, '').split('"').length % 2 === 0;
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, place) => {
        const cut = json.slice(0, place % (json.length + 1));
        fc.pre(!inString(cut)); // for a string with a wrong character the place is its beginning
        const { column } = placeIn(faultOf(`${cut}\u0001`)); // is valid nowhere
        expect(column).toBeLessThanOrEqual(cut.length + 1);
        expect(json.startsWith(cut.slice(0, column - 1))).toBe(true);
      }),
    );
  });

  test('a large body with endless nesting takes neither long nor much stack', () => {
    const fault = faultOf(`${'['.repeat(500_000)}"${'x'.repeat(500_000)}`);
    expect(fault).toBe('nested too deeply to say where');
  });
});

test('too many members are a fault of the whole body', () => {
  const members = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`m${index}`, 1]));
  const read = () =>
    parseJsonBody(Buffer.from(JSON.stringify({ members })), { 'content-type': 'application/json' });
  expect(read).toThrow(
    expect.objectContaining({ fields: [expect.objectContaining({ path: '', code: 'too_big' })] }),
  );
});
