// Many runs, one seed after the other, each in a process of its own. Each finished run is a line of
// a file, so that a series that was stopped continues where it was.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ChaosReport } from './run-chaos.ts';
import { formatSeries, toSeriesRun, type SeriesRun } from './series.rules.ts';

export interface SeriesOptions {
  readonly runs: number;
  readonly seed: number;
  /** Of one run, without the seed. */
  readonly args: readonly string[];
  /** Where finished runs are stored. */
  readonly file: string;
  readonly say: (line: string) => void;
}

/** Returns the exit status: 1 when a run found a problem. */
export async function runSeries({ runs, seed, args, file, say }: SeriesOptions): Promise<0 | 1> {
  mkdirSync(dirname(file), { recursive: true });
  const done = readRuns(file);
  const wanted = Array.from({ length: runs }, (_, place) => seed + place);
  for (const one of wanted.filter((each) => !done.has(each))) {
    const { run, log } = await runOne(one, args);
    if (run === null || run.failed) say(log);
    if (run === null) {
      say(`seed ${one}: the run did not end; the next call repeats it`);
      return 1;
    }
    done.set(one, run);
    appendFileSync(file, `${JSON.stringify(run)}\n`);
    say(
      `seed ${one}: ${run.faults.length} faults, ${run.accepted} accepted, ${run.lost} lost, ${run.duplicated} repeated${run.failed ? ', with problems' : ''}`,
    );
  }
  const finished = wanted.map((each) => done.get(each)!);
  say('');
  formatSeries(finished).forEach(say);
  return finished.some(({ failed }) => failed) ? 1 : 0;
}

function readRuns(file: string): Map<number, SeriesRun> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as SeriesRun).map((run) => [run.seed, run]));
}

/** `run` is null when the process was stopped, or could not start its servers. */
async function runOne(
  seed: number,
  args: readonly string[],
): Promise<{ run: SeriesRun | null; log: string }> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const command = [...process.execArgv, main, ...args, '--json', '--seed', String(seed)];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, log] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const run = output === '' ? null : toSeriesRun(JSON.parse(output) as ChaosReport & { failed: boolean });
  return { run, log };
}
