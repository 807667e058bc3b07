// Renders templates: small plain ones here, all others on threads that stop at a time limit, behind
// a queue that is fair to organisations. Created once per process and closed with it.
import { join } from 'node:path';
import { AppError } from '@parley/envelopes';
import { createHeavyThreads } from '@parley/server/limits';
import type { ChannelName } from '@parley/jobs';
import { shippedPath } from '@parley/server/runtime';
import { TemplateProblem } from './engine.ts';
import { createMeter } from './meter.ts';
import { areSmall, arePlain, contentProblems, renderAll, type RenderedTexts } from './render-template.ts';
import type { Partials } from './partials.rules.ts';
import type { RenderJob, RenderOutput } from './render-thread.ts';
import type { LocaleContent } from './template-content.ts';

export interface TemplateRenderer {
  /** @throws TemplateProblem; AppError concurrency_limited, unavailable */
  render(
    organizationId: string,
    words: LocaleContent,
    channels: Iterable<ChannelName>,
    data: object,
    partials?: Partials,
  ): Promise<RenderedTexts>;
  /** Returns every part that does not parse, with its path. @throws as above */
  check(
    organizationId: string,
    locales: readonly LocaleContent[],
  ): Promise<ReturnType<typeof contentProblems>>;
  close(): Promise<void>;
}

/** Sized so that the threads' heaps and the process fit the memory limit in k8s/base. */
const THREADS = 2;
const HEAP_MB = 48;
/** Processor time. The meter stops rendering well before. */
const RENDER_CPU_MS = 1_000;
/** Enough for 512 KiB of outputs. */
const CHECK_CPU_MS = 10_000;
/** Lower priority than the process, but higher than work of seconds, since a send waits for it. */
const NICENESS = 10;
const WAIT_MS = 10_000;
const WITHIN_MS = 20_000;

export function createTemplateRenderer({
  cpuMs = RENDER_CPU_MS,
  withinMs = WITHIN_MS,
} = {}): TemplateRenderer {
  const threads = createHeavyThreads<RenderJob, RenderOutput>({
    program: shippedPath('render-thread.mjs', () => join(import.meta.dirname, 'render-thread.ts')),
    threads: THREADS,
    heapMb: HEAP_MB,
    niceness: NICENESS,
    waitMs: WAIT_MS,
    withinMs,
  });

  async function runOnThread(
    organizationId: string,
    job: RenderJob,
    jobCpuMs: number,
  ): Promise<RenderOutput> {
    const output = await threads.run(organizationId, job, jobCpuMs).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'request_too_costly') throw error;
      throw new TemplateProblem(error.message.replace('the request ', ''));
    });
    if (output.kind === 'problem') throw new TemplateProblem(output.message, output.missing);
    return output;
  }

  return {
    render: async (organizationId, words, channels, data, partials = {}) => {
      const names = [...channels];
      const here = renderHere(words, names, data);
      if (here) return here;
      const job = { words, channels: names, data: JSON.stringify(data), partials };
      const output = await runOnThread(organizationId, job, cpuMs);
      if (output.kind !== 'rendered') throw new Error(`a thread answered with ${output.kind}`);
      return output.rendered;
    },
    check: async (organizationId, locales) => {
      if (areSmall(locales)) return contentProblems(locales);
      const output = await runOnThread(organizationId, { check: locales }, CHECK_CPU_MS);
      if (output.kind !== 'checked') throw new Error(`a thread answered with ${output.kind}`);
      return output.problems;
    },
    close: () => threads.close(),
  };
}

/** Undefined when it is not small and plain, or too much. @throws TemplateProblem */
function renderHere(
  words: LocaleContent,
  channels: readonly ChannelName[],
  data: object,
): RenderedTexts | undefined {
  if (!areSmall([words]) || !arePlain(words)) return undefined;
  const meter = createMeter('small');
  try {
    return renderAll(words, channels, data, meter);
  } catch (error) {
    if (meter.isSpent) return undefined;
    throw error;
  }
}
