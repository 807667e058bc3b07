// A set-up that fails says what failed, and what it waited for.
import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder, withFolderLock } from './folder-lock.ts';
import { runStep, TookTooLong } from './setup-step.ts';

const program = (text: string) => ['-e', text];

test('a step that hangs is ended, and says what it was, how long it had, and what it wrote', async () => {
  const hangs = program("console.log('half done'); setInterval(() => undefined, 1_000)");
  const step = runStep('The client could not be generated', process.execPath, hangs, { timeout: 3_000 });
  await expect(step).rejects.toThrow(TookTooLong);
  await expect(step).rejects.toThrow(/^The client could not be generated: not done after 3 s\.\nhalf done$/);
}, 60_000);

test('a step that fails says what it wrote, or how it ended', async () => {
  const fails = program("console.error('no schema'); process.exit(3)");
  await expect(runStep('It failed', process.execPath, fails)).rejects.toThrow(/^It failed: no schema$/);
  await expect(runStep('It failed', process.execPath, program('process.exit(3)'))).rejects.toThrow(
    /^It failed: .+/,
  );
  await expect(runStep('It failed', '/no/such/program', [])).rejects.toThrow(/ENOENT/);
  expect(await runStep('It works', process.execPath, program("console.log('done')"))).toBe('done\n');
}, 60_000);

test('a lock that is not given back is named with the time that was waited', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  const unlock = lockFolder(join(folder, 'lock'));
  await expect(withFolderLock(join(folder, 'lock'), 1_000, async () => undefined)).rejects.toThrow(
    new RegExp(`${process.pid} still holds ${folder}/lock, which was waited for 1 s`),
  );
  unlock();
  rmSync(folder, { recursive: true });
});
