// Starts a thread whose program is a module of its own, from source (development, tests) and from the bundle of an image alike.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** `name`: of the module beside the caller, whose `import.meta.url` is `from`. Nothing of the process's own flags reaches it. */
export function threadOf(
  name: string,
  from: string,
  options: Pick<WorkerOptions, 'resourceLimits'> = {},
): Worker {
  const given = { ...options, execArgv: [] };
  return from.endsWith('.ts')
    ? new Worker(sourceThread(name, from), { ...given, eval: true })
    : new Worker(bundledThread(name, from), given);
}

/** The thread is TypeScript: a program that teaches its thread to read it, and loads it. */
function sourceThread(name: string, from: string): string {
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const thread = fileURLToPath(new URL(`./${name}.ts`, from));
  return `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(thread)});`;
}

/** Beside the bundle's entry in an image, wherever in the bundle the caller came to lie. */
function bundledThread(name: string, from: string): URL {
  const places = [`./${name}.mjs`, `../${name}.mjs`].map((path) => new URL(path, from));
  const found = places.find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new Error(`${name}.mjs is not where the bundle should have it`);
  return found;
}
