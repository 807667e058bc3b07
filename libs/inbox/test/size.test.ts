// What a page pays for it, the SDK's client included.
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

test('the client is at most 14 KB with the SDK, 4 KB without, and brings nothing else along', async () => {
  const weigh = async (external: string[]) => {
    const { outputFiles, metafile } = await build({
      entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
      ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022' },
      ...{ metafile: true, write: false, external },
    });
    expect(Object.keys(metafile.inputs).filter((path) => !/libs\/(inbox|sdk)\/src\//.test(path))).toEqual([]);
    return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  };
  expect(await weigh([])).toBeLessThanOrEqual(14 * 1024);
  expect(await weigh(['@parley/sdk'])).toBeLessThanOrEqual(4 * 1024);
});
