// The package as others install it: its packed tarball is installed, loads in plain Node as ESM and
// from CommonJS, and its types compile without ours or Node's.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'parley-sdk-package-'));
const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: home, encoding: 'utf8' });

const PROGRAM = `import { NotFoundError, Parley } from '@parley/sdk';
import type { components } from '@parley/sdk/voice-api';
const parley = new Parley({ voiceApi: { url: 'http://127.0.0.1:1', key: 'k' } });
export const bot = async (): Promise<components['schemas']['Bot']> => parley.voiceApi.getBot({ bot_id: 'b' });
export const refused = (error: unknown) => error instanceof NotFoundError && error.fields[0]?.path;
// @ts-expect-error a path parameter is missing
export const wrong = () => parley.voiceApi.getBot();
`;

const CJS_PROGRAM = `const { Parley, NotFoundError } = require('@parley/sdk');
console.log(typeof new Parley({}).voiceApi.listBots, typeof NotFoundError);
`;

beforeAll(() => {
  const built = join(home, 'built');
  run(join(root, 'apps/dev/build-package.mjs'), 'libs/sdk', built);
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: home, encoding: 'utf8' });
  const tarball = npm('pack', built, '--silent').trim();
  npm('install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`);
  writeFileSync(join(home, 'program.ts'), PROGRAM);
}, 60_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('loads in plain Node', () => {
  const program =
    "import { Parley } from '@parley/sdk'; console.log(typeof new Parley({}).voiceApi.listBots)";
  expect(run('--input-type=module', '--eval', program)).toBe('function\n');
});

test('loads from CommonJS', () => {
  writeFileSync(join(home, 'program.cjs'), CJS_PROGRAM);
  expect(run('program.cjs')).toBe('function function\n');
});

test('describes itself, and names no home but the one of the root package', () => {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const packed = read(join(home, 'node_modules/@parley/sdk/package.json'));
  expect(packed).toMatchObject({ description: expect.stringMatching(/^Client of/), license: 'Apache-2.0' });
  const { homepage, repository } = read(join(import.meta.dirname, '../../../package.json'));
  expect([packed['homepage'], packed['repository'] !== undefined]).toEqual([
    homepage,
    repository !== undefined,
  ]);
});

test.each([
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'bundler'],
])('its types hold with module %s, resolved as %s', (module, moduleResolution) => {
  const compilerOptions = {
    module,
    moduleResolution,
    strict: true,
    noEmit: true,
    types: [],
    target: 'ES2022',
  };
  const libraries = { lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'] };
  const config = { compilerOptions: { ...compilerOptions, ...libraries }, include: ['program.ts'] };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config));
  expect(run(join(root, 'node_modules/typescript7/bin/tsc'), '-p', home)).toBe('');
});
