// `parley flows` without a server (docs/flows-as-code.md#without-a-server). The commands with a
// server are tested in apps/e2e/test/flows-as-code.e2e.test.ts.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { eventually } from '@parley/testing';
import { watchFolder } from '../src/flows/watch-folder.ts';
import { createProgram } from '../src/program.ts';

const example = fileURLToPath(new URL('../examples/flows', import.meta.url));
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-flows-'));
  cpSync(example, dir, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function flows(...words: string[]) {
  const lines: string[] = [];
  const explained: string[] = [];
  const output = {
    print: (line: string) => void lines.push(line),
    explain: (text: string) => void explained.push(text),
  };
  const parsed = createProgram({}, output).parseAsync(['node', 'parley', 'flows', ...words, '--dir', dir]);
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
  test('accept the example, whose flows call each other', async () => {
    expect(await flows('validate')).toMatchObject({ code: 0, lines: ['2 passed, 0 failed'] });
    expect(await flows('test')).toMatchObject({ code: 0, lines: ['4 passed, 0 failed'] });
  });

  test('report each error with its place, and exit with 1', async () => {
    edit('booking.yaml', 'target: person', 'target: nobody');
    const { code, lines } = await flows('validate');
    expect(code).toBe(1);
    expect(lines).toContainEqual(expect.stringMatching(/^booking\.yaml: error \/edges\/1/));
    expect(lines.at(-1)).toBe('1 passed, 1 failed');
    expect(await flows('validate', 'identify')).toMatchObject({ code: 0, lines: ['1 passed, 0 failed'] });
    expect((await flows('test')).code).toBe(1);
  });

  test('report the turn in which a test failed, also as JUnit XML', async () => {
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
    ['a file that is not YAML', 'x.yaml', 'nodes: [', /x\.yaml: /],
    ['a document that is not an object', 'x.json', '[]', /must hold an object/],
    ['two files of one flow', 'booking.json', '{}', /a second file of this flow/],
    ['a test without expectations', 'identify.tests.yaml', 'one: { turns: [{}] }', /\/one\/turns\/0\/expect/],
    ['a name that is not an id', 'a b.yaml', 'nodes: []', /a b\.yaml/],
  ])('exit with 2 for %s', async (_, file, text, why) => {
    write(file, text);
    const { code, explained } = await flows('test');
    expect(code).toBe(2);
    expect(explained).toMatch(why);
  });

  test('need the folder and a file of each named flow', async () => {
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

test('generated tests take every reachable edge, pass, and keep other tests', async () => {
  const { code, lines } = await flows('generate-tests', 'booking', '--format', 'json');
  expect(code).toBe(0);
  expect(lines).toEqual([expect.stringMatching(/^booking: \d tests in booking\.tests\.yaml, 7 of 8 edges$/)]);
  expect(readFileSync(join(dir, 'booking.tests.yaml'), 'utf8')).toMatch(/table-for-four[^]*generated\.edge/);
  expect((await flows('test')).code).toBe(0);
  expect((await flows('generate-tests', 'identify', '--format', 'json')).lines[0]).toContain(
    'identify.tests.json',
  );
});

test('a watch runs again after each change until it is aborted', async () => {
  const stopped = new AbortController();
  let runs = 0;
  const watching = watchFolder(dir, () => void (runs += 1), stopped.signal);
  await eventually(async () => runs === 1);
  write('identify.yaml', 'nodes: []');
  await eventually(async () => runs === 2);
  stopped.abort();
  await watching;
});

test('commands with a server name the missing setting', async () => {
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
