// `parley import` on files and folders: its output, the report of each node, and the scoreboard.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createProgram } from '../src/program.ts';

const fixtures = join(import.meta.dirname, '../../../libs/importers/test/fixtures');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-import-'));
  await cp(join(fixtures, 'typebot.json'), join(folder, 'bots/typebot.json'));
  await cp(join(fixtures, 'vapi-squad.json'), join(folder, 'bots/squad.json'));
  const { files } = JSON.parse(await readFile(join(fixtures, 'rasa.json'), 'utf8')) as {
    files: Record<string, string>;
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, 'rasa', path, '..'), { recursive: true });
    await writeFile(join(folder, 'rasa', path), text);
  }
  await writeFile(join(folder, 'package.json'), '{"name": "no flow"}');
});
afterAll(() => rm(folder, { recursive: true }));

async function parley(...words: readonly string[]) {
  const [printed, explained]: [string[], string[]] = [[], []];
  const output = {
    print: (line: string) => printed.push(line),
    explain: (text: string) => explained.push(text),
  };
  await createProgram({}, output).parseAsync(['node', 'parley', 'import', ...words]);
  return { printed, explained: explained.join('') };
}

test('prints the definition of a file, and reports each node', async () => {
  const { printed, explained } = await parley(join(folder, 'bots/typebot.json'));
  expect(JSON.parse(printed.join('\n'))).toMatchObject({ name: 'Insurance', start: 'Age_number_input' });
  expect(explained).toContain('mapped       number input "Age"\n');
  expect(explained).toContain('dropped      Wait "Split": no equivalent in Parley\n');
  expect(explained).toContain('texts: 34 kept, 1 approximated, 1 lost\n');
  expect(explained).toContain(
    'lost         "2" at /groups/1/blocks/7/options/secondsToWaitFor: no equivalent in Parley\n',
  );
});

test('imports the folder of an agent as one document, and writes to --out', async () => {
  const out = join(folder, 'flow.out');
  const { printed } = await parley(join(folder, 'rasa'), '--out', out);
  expect(printed).toEqual([]);
  expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({ start: 'listen' });
});

test('the scoreboard counts by format, and names unrecognised documents', async () => {
  const { printed } = await parley('--scoreboard', folder);
  expect(printed.map((line) => line.replaceAll(/ +/g, ' ').replace(folder, ''))).toEqual([
    'format files parsed valid mapped approximated dropped kept',
    'vapi 1 1 1 0 2 1 66.7 %',
    'typebot 1 1 1 9 6 1 93.8 %',
    'rasa 1 1 1 10 2 1 92.3 %',
    'format texts kept approximated lost share',
    'vapi 19 17 0 2 89.5 %',
    'typebot 36 34 1 1 97.2 %',
    'rasa 29 25 0 4 86.2 %',
    'refused: /package.json: no format is recognised',
  ]);
});

test('fails for a document that no format recognises', async () => {
  await expect(parley(join(folder, 'package.json'))).rejects.toThrow('no format is recognised');
  await expect(parley(join(folder, 'bots/squad.json'), '--format', 'rasa')).rejects.toThrow('it is no Rasa');
});
