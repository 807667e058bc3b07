// `parley flows` without a server: the engine says what is wrong with a folder, and whether its tests pass
// (docs/flows-as-code.md#without-a-server). With one: apps/e2e/test/flows-as-code.e2e.test.ts.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { eventually } from '@parley/testkit';
import { watchFolder } from '../src/flows/watch-folder.ts';
import { program } from '../src/program.ts';

const example = fileURLToPath(new URL('../examples/flows', import.meta.url));
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-flows-'));
  cpSync(example, dir, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Its lines, what it explained, and its exit code. */
async function flows(...words: string[]) {
  const lines: string[] = [];
  const explained: string[] = [];
  const output = {
    print: (line: string) => void lines.push(line),
    explain: (text: string) => void explained.push(text),
  };
  const parsed = program({}, output).parseAsync(['node', 'parley', 'flows', ...words, '--dir', dir]);
  const code = await parsed.then(
    () => 0,
    (error: unknown) => {
      if (error instanceof CommanderError) return error.exitCode;
      throw error;
    },
  );
  return { code, lines, explained: explained.join('') };
}
const write = (file: string, text: string) => writeFileSync(join(dir, file), text);
const edit = (file: string, from: string, to: string) =>
  write(file, readFileSync(join(dir, file), 'utf8').replace(from, to));

describe('validate and test', () => {
  test('find nothing in the example, whose flows call each other', async () => {
    expect(await flows('validate')).toMatchObject({ code: 0, lines: ['2 passed, 0 failed'] });
    expect(await flows('test')).toMatchObject({ code: 0, lines: ['4 passed, 0 failed'] });
  });

  test('say what is wrong and where, and exit with 1', async () => {
    edit('booking.yaml', 'target: person', 'target: nobody');
    const { code, lines } = await flows('validate');
    expect(code).toBe(1);
    expect(lines).toContainEqual(expect.stringMatching(/^booking\.yaml: error \/edges\/1/));
    expect(lines.at(-1)).toBe('1 passed, 1 failed');
    expect(await flows('validate', 'identify')).toMatchObject({ code: 0, lines: ['1 passed, 0 failed'] });
    expect((await flows('test')).code).toBe(1);
  });

  test('say which turn of a test was another, also as JUnit XML', async () => {
    edit('booking.tests.yaml', 'A table for 4, Ada.', 'A table for <5> & "more"');
    const junit = join(dir, 'junit.xml');
    const { code, lines } = await flows('test', 'booking', '--junit', junit);
    expect(code).toBe(1);
    expect(lines).toEqual([
      'booking.yaml: table-for-four: error /turns/2/expect/messages expected ["A table for <5> & \\"more\\""], got ["A table for 4, Ada."]',
      '2 passed, 1 failed',
    ]);
    const xml = readFileSync(junit, 'utf8');
    expect(xml).toContain('<testsuites name="parley" tests="3" failures="1">');
    expect(xml).toContain('<testcase classname="booking" name="somebody-who-is-known" file="booking.yaml"/>');
    expect(xml).toContain('A table for &lt;5&gt; &amp;');
  });

  test.each([
    ['a file that is no YAML', 'x.yaml', 'nodes: [', /x\.yaml: /],
    ['a document that is no object', 'x.json', '[]', /must hold an object/],
    ['two files of one flow', 'booking.json', '{}', /a second file of this flow/],
    ['a test without expectations', 'identify.tests.yaml', 'one: { turns: [{}] }', /\/one\/turns\/0\/expect/],
    ['a name that is no id', 'a b.yaml', 'nodes: []', /a b\.yaml/],
  ])('cannot be done with %s: exit code 2', async (_, file, text, why) => {
    write(file, text);
    const { code, explained } = await flows('test');
    expect(code).toBe(2);
    expect(explained).toMatch(why);
  });

  test('need a folder, and files of the flows that are named', async () => {
    expect(await flows('test', 'nobody')).toMatchObject({
      code: 2,
      explained: expect.stringContaining('"nobody"'),
    });
    rmSync(dir, { recursive: true });
    expect(await flows('test')).toMatchObject({
      code: 2,
      explained: expect.stringContaining('no such folder'),
    });
  });
});

test('generated tests take the edges that can be taken, pass, and leave other tests alone', async () => {
  const { code, lines } = await flows('generate-tests', 'booking', '--format', 'json');
  expect(code).toBe(0);
  expect(lines).toEqual([expect.stringMatching(/^booking: \d tests in booking\.tests\.yaml, 7 of 8 edges$/)]);
  expect(readFileSync(join(dir, 'booking.tests.yaml'), 'utf8')).toMatch(/table-for-four[^]*generated\.edge/);
  expect((await flows('test')).code).toBe(0);
  expect((await flows('generate-tests', 'identify', '--format', 'json')).lines[0]).toContain(
    'identify.tests.json',
  );
});

test('a folder is watched until one has seen enough', async () => {
  const stopped = new AbortController();
  let runs = 0;
  const watching = watchFolder(dir, () => void (runs += 1), stopped.signal);
  await eventually(async () => runs === 1);
  write('identify.yaml', 'nodes: []');
  await eventually(async () => runs === 2);
  stopped.abort();
  await watching;
});

test('what needs a server says what is missing', async () => {
  for (const words of [['pull'], ['push'], ['diff'], ['publish', 'booking'], ['promote', 'booking']])
    expect(await flows(...words)).toMatchObject({
      code: 2,
      explained: expect.stringContaining('PARLEY_FLOWS_URL'),
    });
  expect(await flows('pull', '--url', 'http://127.0.0.1:9')).toMatchObject({
    code: 2,
    explained: expect.stringContaining('PARLEY_FLOWS_KEY'),
  });
});
