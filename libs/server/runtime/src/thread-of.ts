// Starts a thread whose program is a module, from source (development, tests) and from the bundle
// of an image.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export interface ThreadOptions extends Pick<WorkerOptions, 'resourceLimits'> {
  /** From 1 to 19: how far other work takes precedence, from before the program is loaded. */
  readonly niceness?: number;
}

// Linux applies it only to the calling thread: on a busy machine turns and other requests go first.
const buildNiceness = (niceness: number): string =>
  process.platform === 'linux' ? `require('node:os').setPriority(${niceness}); ` : '';

/** `program`: the path of its module (shippedPath). The thread inherits no flags of the process. */
export function createThread(program: string, { niceness, ...options }: ThreadOptions = {}): Worker {
  const load = program.endsWith('.ts')
    ? loadSource(program)
    : `import(${JSON.stringify(pathToFileURL(program).href)});`;
  return new Worker(`${niceness ? buildNiceness(niceness) : ''}${load}`, {
    ...options,
    execArgv: [],
    eval: true,
  });
}

/** A program that enables TypeScript in its thread, then loads the module. */
function loadSource(program: string): string {
  // eslint-disable-next-line no-restricted-syntax -- a checkout's alone: no bundle asks for it
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api');
  return `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(program)});`;
}
