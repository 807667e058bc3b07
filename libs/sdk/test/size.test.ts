// The size of the package in a page, and its dependencies.
import { gzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

const src = new URL('../src/', import.meta.url);

test('the bundle for browsers is at most 12 KB and has no dependency', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('index.ts', src))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  expect(Object.keys(metafile.inputs).filter((path) => !path.includes('sdk/src/'))).toEqual([]);
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThanOrEqual(12 * 1024);
});

test('the hand-written part stays small', () => {
  // Not counted: files with types only, which are not sent, and the generated table.
  const others = [
    'index.ts',
    'options.ts',
    'types.ts',
    'model-client.ts',
    'webhook-events.ts',
    'operations.ts',
  ];
  const lines = readdirSync(src)
    .filter((name) => name.endsWith('.ts') && !others.includes(name))
    .flatMap((name) => readFileSync(new URL(name, src), 'utf8').split('\n'))
    .filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));
  expect(lines.length).toBeLessThan(600);
});
