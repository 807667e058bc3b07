// Where templates are rendered: here what is small and plain, which a parsed template proves; everything else on threads that end with
// what takes too much, behind a queue in which organisations take turns. Made once a process, closed with it.
import { join } from 'node:path';
import { AppError } from '@parley/envelopes';
import { createHeavyThreads } from '@parley/limits';
import type { ChannelName } from '@parley/queues';
import { shippedPath } from '@parley/runtime';
import { TemplateProblem } from './engine.ts';
import { createMeter } from './meter.ts';
import { areSmall, arePlain, contentProblems, renderAll, type RenderedWords } from './render-template.ts';
import type { RenderJob, RenderOutput } from './render-thread.ts';
import type { LocaleContent } from './schemas.ts';

export interface TemplateRenderer {
  /** @throws TemplateProblem; AppError concurrency_limited, unavailable */
  render(
    organizationId: string,
    words: LocaleContent,
    channels: Iterable<ChannelName>,
    data: object,
  ): Promise<RenderedWords>;
  /** Every part that cannot be parsed, with its path. @throws as above */
  check(
    organizationId: string,
    locales: readonly LocaleContent[],
  ): Promise<ReturnType<typeof contentProblems>>;
  close(): Promise<void>;
}

/** With the heap of the process these fit into the memory that k8s/base gives it. */
const THREADS = 2;
const HEAP_MB = 48;
/** Processor time: what the meter counts ends well before. */
const RENDER_CPU_MS = 1_000;
/** 512 KiB of nothing but outputs. */
const CHECK_CPU_MS = 10_000;
/** A send waits for it, so it stands less far behind than what takes seconds. */
const NICENESS = 10;
const WAIT_MS = 10_000;
const WITHIN_MS = 20_000;

export function createTemplateRenderer({
  cpuMs = RENDER_CPU_MS,
  withinMs = WITHIN_MS,
} = {}): TemplateRenderer {
  const threads = createHeavyThreads<RenderJob, RenderOutput>({
    program: shippedPath('render-thread.mjs', () => join(import.meta.dirname, 'render-thread.ts')),
    ...{ threads: THREADS, heapMb: HEAP_MB, niceness: NICENESS, waitMs: WAIT_MS, withinMs },
  });

  async function onThread(organizationId: string, job: RenderJob, jobCpuMs: number): Promise<RenderOutput> {
    const output = await threads.run(organizationId, job, jobCpuMs).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'request_too_costly') throw error;
      throw new TemplateProblem(error.message.replace('the request ', ''));
    });
    if (output.kind === 'problem') throw new TemplateProblem(output.message, output.missing);
    return output;
  }

  return {
    render: async (organizationId, words, channels, data) => {
      const names = [...channels];
      const here = renderHere(words, names, data);
      if (here) return here;
      const job = { words, channels: names, data: JSON.stringify(data) };
      const output = await onThread(organizationId, job, cpuMs);
      if (output.kind !== 'rendered') throw new Error(`a thread answered with ${output.kind}`);
      return output.rendered;
    },
    check: async (organizationId, locales) => {
      if (areSmall(locales)) return contentProblems(locales);
      const output = await onThread(organizationId, { check: locales }, CHECK_CPU_MS);
      if (output.kind !== 'checked') throw new Error(`a thread answered with ${output.kind}`);
      return output.problems;
    },
    close: () => threads.close(),
  };
}

/** Undefined: it is not small and plain, or has more to do with this data. @throws TemplateProblem */
function renderHere(
  words: LocaleContent,
  channels: readonly ChannelName[],
  data: object,
): RenderedWords | undefined {
  if (!areSmall([words]) || !arePlain(words)) return undefined;
  const meter = createMeter('small');
  try {
    return renderAll(words, channels, data, meter);
  } catch (error) {
    if (meter.isSpent) return undefined;
    throw error;
  }
}
