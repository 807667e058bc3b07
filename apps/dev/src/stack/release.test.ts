// A release is tried only where Node finds no packages but its own.
import { afterAll, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRelease, refusePackagesAbove, releasePlace } from './release.ts';

const outside = mkdtempSync('/var/tmp/parley-release-test-');
afterAll(() => rmSync(outside, { recursive: true }));

test('packages of any folder above are a reason to refuse', async () => {
  expect(() => refusePackagesAbove(join(outside, 'a', 'b'))).not.toThrow();
  mkdirSync(join(outside, 'node_modules'));
  expect(() => refusePackagesAbove(join(outside, 'a', 'b'))).toThrow(join(outside, 'node_modules'));
  await expect(assembleRelease('/', join(outside, 'a'), [])).rejects.toThrow(/Node would find/);
});

test('each stack has a place of its own', () => {
  expect(releasePlace('/home/one')).toBe(releasePlace('/home/one'));
  expect(releasePlace('/home/one')).not.toBe(releasePlace('/home/two'));
});
