// Makes the package that others install: plain JavaScript with its types. `node libs/sdk/build.mjs [folder]`, by default dist/libs/sdk.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.argv[2] ?? join(root, 'dist/libs/sdk');
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

rmSync(folder, { recursive: true, force: true });
const options = [
  '--noEmit',
  'false',
  '--declaration',
  '--rewriteRelativeImportExtensions',
  '--outDir',
  folder,
];
execFileSync(process.execPath, ['node_modules/typescript7/bin/tsc', '-p', 'libs/sdk/src', ...options], {
  cwd: root,
  stdio: 'inherit',
});
const { version, license, engines } = read('package.json');
const { name, type, exports, sideEffects } = read('libs/sdk/package.json');
const built = ([entry, source]) => {
  const path = source.replace('./src/', './').replace(/\.ts$/, '');
  return [entry, { types: `${path}.d.ts`, default: `${path}.js` }];
};
const entries = Object.fromEntries(Object.entries(exports).map(built));
const manifest = { name, version, license, type, engines, sideEffects, exports: entries };
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, 'libs/sdk/README.md'), join(folder, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
