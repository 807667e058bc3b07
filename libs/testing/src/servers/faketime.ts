// libfaketime, for tests with clocks that are wrong: Debian's, unpacked where the machine has none.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findUnpacked, unpack, type DebianProgram } from './apt-package.ts';

const TRIPLE = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
const PATH = `usr/lib/${TRIPLE}/faketime/libfaketime.so.1`;

const DEBIAN: DebianProgram = {
  packages: ['libfaketime'],
  path: PATH,
  runs: ({ path }) => yearWith(path) === '2001',
};

/** @param tools the folder under which it is unpacked: `.parley` of the checkout. */
async function faketimeLibrary(tools: string): Promise<string> {
  const installed = join('/', PATH);
  if (existsSync(installed)) return installed;
  const folder = join(tools, 'faketime');
  return (findUnpacked(folder, DEBIAN) ?? (await unpack(folder, DEBIAN))).path;
}

/**
 * What a process needs in its environment for a clock that is off by `offset`, such as `+1h`. Its
 * monotonic clock stays, as it does on a machine whose clock is wrong.
 */
export async function fakeClock(tools: string, offset: string): Promise<Record<string, string>> {
  const LD_PRELOAD = await faketimeLibrary(tools);
  return { LD_PRELOAD, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' };
}

function yearWith(library: string): string {
  const env = { ...process.env, LD_PRELOAD: library, FAKETIME: '@2001-06-01 12:00:00' };
  return execFileSync('date', ['+%Y'], { env, encoding: 'utf8' }).trim();
}
