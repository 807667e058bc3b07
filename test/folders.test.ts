// The order of folders (eslint-folders.mjs): READMEs draw it, and no files import each other in a
// circle.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { folderOrders } from '../eslint-folders.mjs';

const root = join(import.meta.dirname, '..');

/**
 * The layers of a picture: a line each, its parts between dots, what they are for after two spaces.
 */
function readPicture(readme: string, folder: string): string[][] {
  const [, picture] =
    new RegExp(`<!-- folders: ${folder} -->\n\`\`\`text\n([^]*?)\n\`\`\``).exec(readme) ?? [];
  return (picture ?? '').split('\n').map((line) => line.split(/ {2,}/)[0]!.split(' · '));
}

type Imports = ReadonlyMap<string, readonly string[]>;

/** Every circle once, at the first of its files that is met. */
function findCircles(imports: Imports): string[][] {
  const circles: string[][] = [];
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (finished.has(file)) return;
    const start = path.indexOf(file);
    if (start >= 0) {
      circles.push(path.slice(start));
      return;
    }
    path.push(file);
    for (const imported of imports.get(file) ?? []) visit(imported);
    path.pop();
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return circles;
}

function readImports(folder: string): Imports {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name),
  );
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, folder, file), 'utf8'));
      const relative = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'));
      return [file, relative.map((name) => posix.join(posix.dirname(file), name))];
    }),
  );
}

describe.each(Object.entries(folderOrders))('%s', (folder, layers) => {
  const [kind, project, ...inside] = folder.split('/');

  test('the README draws the order that the lint enforces', () => {
    const readme = readFileSync(join(root, kind!, project!, 'README.md'), 'utf8');
    expect(readPicture(readme, inside.join('/'))).toEqual(layers);
  });

  test('every part of the order exists', () => {
    expect(layers.flat().filter((part) => !existsSync(join(root, folder, part)))).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(findCircles(readImports(folder))).toEqual([]);
  });
});

test('a circle of files is found', () => {
  const imports = { 'a.ts': ['b.ts'], 'b.ts': ['c.ts', 'd.ts'], 'c.ts': ['b.ts'], 'd.ts': [] };
  expect(findCircles(new Map(Object.entries(imports)))).toEqual([['b.ts', 'c.ts']]);
});

test('a picture with another order is not that of the table', () => {
  const readme = '<!-- folders: src -->\n```text\napp.ts\na · b   what they do\n```\n';
  expect(readPicture(readme, 'src')).toEqual([['app.ts'], ['a', 'b']]);
});
