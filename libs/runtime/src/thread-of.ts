// Starts a thread whose program is a module of its own, from source (development, tests) and from the bundle of an image alike.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export interface ThreadOptions extends Pick<WorkerOptions, 'resourceLimits'> {
  /** It goes behind everything else that wants the processor, from before its program is read on. */
  readonly isBehind?: true;
}

// Linux takes this for the thread that says it alone: on a machine without a core to spare, turns and their like go first.
const BEHIND = process.platform === 'linux' ? "require('node:os').setPriority(19); " : '';

/** `name`: of the module beside the caller, whose `import.meta.url` is `from`. Nothing of the process's own flags reaches it. */
export function threadOf(name: string, from: string, { isBehind, ...options }: ThreadOptions = {}): Worker {
  const program = from.endsWith('.ts') ? sourceThread(name, from) : bundledThread(name, from);
  return new Worker(`${isBehind ? BEHIND : ''}${program}`, { ...options, execArgv: [], eval: true });
}

/** The thread is TypeScript: a program that teaches its thread to read it, and loads it. */
function sourceThread(name: string, from: string): string {
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const thread = fileURLToPath(new URL(`./${name}.ts`, from));
  return `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(thread)});`;
}

/** Beside the bundle's entry in an image, wherever in the bundle the caller came to lie. */
function bundledThread(name: string, from: string): string {
  const places = [`./${name}.mjs`, `../${name}.mjs`].map((path) => new URL(path, from));
  const found = places.find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new Error(`${name}.mjs is not where the bundle should have it`);
  return `import(${JSON.stringify(found.href)});`;
}
