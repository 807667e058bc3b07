// knip.json finds what is planted: an export of a library that nobody imports, a type, a file.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));

const planted: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "root", "private": true, "workspaces": ["apps/*", "libs/*"] }',
  'apps/a/package.json': '{ "name": "a", "private": true, "dependencies": { "b": "*" } }',
  'apps/a/src/main.ts': `import { used } from 'b'; import './beside.ts'; used();`,
  'apps/a/src/beside.ts': 'export const unusedInApp = 1;',
  'apps/a/src/unused-file.ts': 'console.log(1);',
  'libs/b/package.json': '{ "name": "b", "private": true, "exports": { ".": "./src/index.ts" } }',
  'libs/b/src/index.ts':
    'export const used = () => {}; export const unusedInLib = 1; export type UnusedType = 1;',
};

test('each kind of unused code is found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unused-'));
  try {
    for (const [path, text] of Object.entries(planted)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    copyFileSync(join(root, 'knip.json'), join(folder, 'knip.json'));
    const knip = [join(root, 'node_modules/knip/bin/knip.js'), '--no-progress', '--no-config-hints'];
    const { stdout } = (await promisify(execFile)(process.execPath, knip, { cwd: folder }).catch(
      (error: unknown) => error,
    )) as { stdout: string };
    expect(stdout.match(/\bunused(InApp|InLib)|UnusedType|unused-file/g)?.sort()).toEqual([
      'UnusedType',
      'unused-file',
      'unusedInApp',
      'unusedInLib',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
