// Starts a thread whose program is a module of its own, from source (development, tests) and from the bundle of an image alike.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export interface ThreadOptions extends Pick<WorkerOptions, 'resourceLimits'> {
  /** From 1 to 19: so far it goes behind what else wants the processor, from before its program is read on. */
  readonly niceness?: number;
}

// Linux takes this for the thread that says it alone: on a machine without a core to spare, turns and their like go first.
const goBehind = (niceness: number): string =>
  process.platform === 'linux' ? `require('node:os').setPriority(${niceness}); ` : '';

/** `program`: the path of its module (shippedPath). The thread inherits no flags of the process. */
export function threadOf(program: string, { niceness, ...options }: ThreadOptions = {}): Worker {
  const load = program.endsWith('.ts')
    ? loadSource(program)
    : `import(${JSON.stringify(pathToFileURL(program).href)});`;
  return new Worker(`${niceness ? goBehind(niceness) : ''}${load}`, { ...options, execArgv: [], eval: true });
}

/** A program that teaches its thread to read TypeScript, then loads the module. */
function loadSource(program: string): string {
  // eslint-disable-next-line no-restricted-syntax -- a checkout's alone: no bundle asks for it
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api');
  return `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(program)});`;
}
