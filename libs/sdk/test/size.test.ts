// What a page of somebody else's pays for it, and that nothing else comes along.
import { gzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

const src = new URL('../src/', import.meta.url);

test('the whole of it is at most 12 KB, for a browser, without a dependency', async () => {
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

test('what is written by hand stays small', () => {
  // Types cost nobody anything: files that hold nothing else are not counted.
  const typesOnly = ['index.ts', 'options.ts', 'types.ts', 'webhook-events.ts'];
  const lines = readdirSync(src)
    .filter((name) => name.endsWith('.ts') && !typesOnly.includes(name))
    .flatMap((name) => readFileSync(new URL(name, src), 'utf8').split('\n'))
    .filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));
  expect(lines.length).toBeLessThan(600);
});
