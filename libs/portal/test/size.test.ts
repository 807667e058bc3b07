// The size of the package, including the SDK client.
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

test.each([
  ['the component with the SDK', 'index.ts', 16 * 1024],
  ['the style sheet', 'styles.css', 2 * 1024],
])('%s: within its size limit, and bundles nothing else', async (what, path, bytesMax) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${path}`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    external: ['react', 'react/*', 'react-dom'],
  });
  expect(Object.keys(metafile.inputs).filter((input) => !/libs\/(portal|sdk)\/src\//.test(input))).toEqual(
    [],
  );
  const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  process.stdout.write(
    `  ${what}: ${(bytes / 1024).toFixed(1)} KB of at most ${bytesMax / 1024} KB, gzipped\n`,
  );
  expect(bytes).toBeLessThanOrEqual(bytesMax);
});
