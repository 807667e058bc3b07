// A worker process of voice-api for tests that kill it during its work.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Returns a function that kills it with SIGKILL and waits for its exit. */
export function startDoomedWorker(env: Readonly<Record<string, string>>): () => Promise<void> {
  const folder = join(import.meta.dirname, '..');
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(folder, 'killed-worker.ts'), JSON.stringify(env)],
    { stdio: 'inherit', cwd: folder },
  );
  const exited = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    await exited;
  };
}
