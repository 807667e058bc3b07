import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

/** What a program with one option prints to either stream, and its status. */
function run(...args: string[]) {
  const file = new URL('./command-line.ts', import.meta.url).href;
  const program = `import { readCommandLine } from '${file}';
    console.log(readCommandLine('it [--seed <n>]', { options: { seed: { type: 'string' } } }).values.seed);`;
  const options = ['--import', 'tsx', '--input-type=module', '--eval', program, '--', 'it', ...args];
  try {
    return { status: 0, text: execFileSync(process.execPath, options, { encoding: 'utf8', stdio: 'pipe' }) };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string };
    return { status, text: stderr };
  }
}

test('reads options, explains itself, and refuses what it does not know in one line', () => {
  expect(run('--seed', '7')).toEqual({ status: 0, text: '7\n' });
  expect(run('--help')).toEqual({ status: 0, text: 'Usage: it [--seed <n>]\n' });
  const { status, text } = run('--sed', '7');
  expect(status).toBe(2);
  expect(text).toMatch(/^Unknown option '--sed'.*\nUsage: it \[--seed <n>\]\n$/);
});
