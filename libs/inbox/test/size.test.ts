// The size of the package, including the SDK client.
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

interface Weighed {
  readonly path: string;
  readonly external?: string[];
  readonly bytesMax: number;
}

const REACT = ['react', 'react/*', 'react-dom'];

test.each<[string, Weighed]>([
  ['the client with the SDK', { path: 'index.ts', bytesMax: 14 * 1024 }],
  ['the client without the SDK', { path: 'index.ts', external: ['@parley/sdk'], bytesMax: 4 * 1024 }],
  ['components, client and SDK', { path: 'react/index.ts', external: REACT, bytesMax: 16 * 1024 }],
  ['headless hooks, client and SDK', { path: 'headless.tsx', external: REACT, bytesMax: 14 * 1024 }],
  ['the style sheet', { path: 'react/styles.css', bytesMax: 2 * 1024 }],
])('%s: within its size limit, and bundles nothing else', async (what, { path, external = [], bytesMax }) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${path}`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    external,
  });
  expect(Object.keys(metafile.inputs).filter((input) => !/libs\/(inbox|sdk)\/src\//.test(input))).toEqual([]);
  const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  process.stdout.write(
    `  ${what}: ${(bytes / 1024).toFixed(1)} KB of at most ${bytesMax / 1024} KB, gzipped\n`,
  );
  expect(bytes).toBeLessThanOrEqual(bytesMax);
});

test('the headless hooks have no DOM: they run in React Native', async () => {
  const names = ['document', 'window', 'navigator', 'location', 'HTMLElement', 'Element', 'ResizeObserver'];
  const define = Object.fromEntries(names.map((name) => [name, `DOM_${name}`]));
  const used = async (entry: string) => {
    const { outputFiles, metafile } = await build({
      entryPoints: [fileURLToPath(new URL(`../src/${entry}`, import.meta.url))],
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      metafile: true,
      write: false,
      external: REACT,
      define,
    });
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.map(({ path }) => path),
    );
    return {
      imported: [...new Set(imported)].sort(),
      dom: [...new Set(outputFiles[0]!.text.match(/DOM_\w+/g))],
    };
  };
  expect(await used('headless.tsx')).toEqual({ imported: ['react', 'react/jsx-runtime'], dom: [] });
  expect((await used('react/index.ts')).dom).toContain('DOM_document'); // the check finds it
});
