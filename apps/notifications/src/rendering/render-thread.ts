// The thread that parses and renders templates, started by template-renderer.ts. A separate entry
// of the bundle (apps/dev/src/stack, bundle.ts).
import { toWorkResult, type WorkResult } from '@parley/envelopes';
import type { ChannelName } from '@parley/jobs';
import { serveJobs } from '@parley/server/runtime';
import { TemplateProblem } from './engine.ts';
import { createMeter } from './meter.ts';
import { contentProblems, renderAll, type RenderedTexts } from './render-template.ts';
import type { Partials } from './partials.rules.ts';
import type { LocaleContent } from './template-content.ts';

export type RenderJob =
  | { readonly check: readonly LocaleContent[] }
  | {
      readonly words: LocaleContent;
      readonly channels: readonly ChannelName[];
      /** As JSON. */
      readonly data: string;
      readonly partials: Partials;
    };

export type RenderOutput =
  | { readonly kind: 'checked'; readonly problems: ReturnType<typeof contentProblems> }
  | { readonly kind: 'rendered'; readonly rendered: RenderedTexts }
  | { readonly kind: 'problem'; readonly message: string; readonly missing: boolean };

async function work(job: RenderJob): Promise<RenderOutput> {
  try {
    if ('check' in job) return { kind: 'checked', problems: contentProblems(job.check) };
    const data = JSON.parse(job.data) as object;
    const { words, channels, partials } = job;
    return { kind: 'rendered', rendered: renderAll(words, channels, data, createMeter('send'), partials) };
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return { kind: 'problem', message: error.message, missing: error.missing };
  }
}

serveJobs<RenderJob, WorkResult<RenderOutput>>((job) => toWorkResult(work(job)));
