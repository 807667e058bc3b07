// Counts the calls of Parley's functions in a running service, over V8's inspector and the source
// maps of its bundle.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../service-stack.ts';
import { WebSocket } from 'undici';

const LISTENS_WITHIN_MS = 10_000;

/** One function of ours: `<file>:<line>:<column> <name>`. */
export type FunctionKey = string;

export interface CoveredProcess {
  /** The functions of ours that were called since the last time. */
  takeCalled(): Promise<Set<FunctionKey>>;
  close(): void;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** Attaches to a process that runs with `--inspect=<host>:<port>` and starts to count. */
export async function coverProcess(root: string, address: string): Promise<CoveredProcess> {
  const inspector = await connectInspector(address);
  await inspector.call('Profiler.enable');
  await inspector.call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const bundles = new Map<string, (offset: number) => string | undefined>();
  return {
    takeCalled: async () => {
      const { result } = (await inspector.call('Profiler.takePreciseCoverage')) as {
        result: readonly ScriptCoverage[];
      };
      const called = new Set<FunctionKey>();
      for (const { url, functions } of result) {
        if (!url.startsWith('file:') || !url.includes('/dist/apps/')) continue;
        if (!bundles.has(url)) bundles.set(url, readBundle(root, fileURLToPath(url)));
        for (const { functionName, ranges } of functions) {
          const { startOffset, count } = ranges[0]!;
          const place = count > 0 && startOffset > 0 ? bundles.get(url)!(startOffset) : undefined;
          if (place !== undefined) called.add(`${place} ${functionName || '(anonymous)'}`);
        }
      }
      return called;
    },
    close: () => inspector.close(),
  };
}

/**
 * Finds the place in the sources of an offset in a bundle; undefined where a package or esbuild
 * wrote it.
 */
function readBundle(root: string, file: string): (offset: number) => string | undefined {
  const text = readFileSync(file, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as never);
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    let line = 0;
    for (let high = lineStarts.length; high - line > 1;) {
      const middle = (line + high) >> 1;
      if (lineStarts[middle]! <= offset) line = middle;
      else high = middle;
    }
    const entry = map.findEntry(line, offset - lineStarts[line]!);
    if (!('originalSource' in entry)) return undefined;
    const source = relative(root, resolve(dirname(file), entry.originalSource));
    return /^(?:apps|libs|prisma)\//.test(source)
      ? `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : undefined;
  };
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

async function connectInspector(address: string) {
  let socketUrl = '';
  await until(`the inspector at ${address}`, LISTENS_WITHIN_MS, async () => {
    const response = await fetch(`http://${address}/json/list`).catch(() => undefined);
    if (!response?.ok) return false;
    [{ webSocketDebuggerUrl: socketUrl }] = (await response.json()) as [{ webSocketDebuggerUrl: string }];
    return true;
  });
  const socket = new WebSocket(socketUrl);
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(data as string) as Answer;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  await new Promise<void>((resolveOpen, reject) => {
    socket.addEventListener('open', () => resolveOpen());
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${socketUrl}`)));
  });
  let last = 0;
  return {
    call: async (method: string, params: object = {}): Promise<unknown> => {
      const id = ++last;
      const answered = new Promise<Answer>((settle) => waiting.set(id, settle));
      socket.send(JSON.stringify({ id, method, params }));
      const { result, error } = await answered;
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    close: () => socket.close(),
  };
}
