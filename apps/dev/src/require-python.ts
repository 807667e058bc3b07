// Where what is tested runs in Python, nothing is tested without it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandError } from './run-command.ts';

export async function requirePython(): Promise<void> {
  try {
    await promisify(execFile)('python3', ['--version']);
  } catch {
    throw new CommandError(
      'There is no python3 on PATH. Install it: apt-get install python3 (Debian), brew install python (macOS), dnf install python3 (Fedora).',
    );
  }
}
