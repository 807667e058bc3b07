// The form of a workflow, and the request that it makes. Pure.
import { CHANNELS, type Channel } from '../channels.ts';
import { timingFrom, workflowTimingOf, type Timing } from '../compose/timing.rules.ts';
import type { Workflow, WorkflowRequest } from './api.ts';

export interface Draft {
  /** None: every channel that reaches people and is in no step. */
  readonly channels: readonly Channel[];
  readonly templateId: string;
  /** Empty: the published version. */
  readonly templateVersion: string;
  readonly category: string;
  readonly timing: Timing;
}

export const draftOf = (workflow: Workflow): Draft => ({
  channels: workflow.channels ?? [],
  templateId: workflow.template.id,
  templateVersion: String(workflow.template.version ?? ''),
  category: workflow.category ?? '',
  timing: timingFrom(workflow),
});

/** Passes incomplete input on: the service says what is missing. */
export function requestOf({
  channels,
  templateId,
  templateVersion,
  category,
  timing,
}: Draft): WorkflowRequest {
  return {
    ...(channels.length > 0 && { channels: CHANNELS.filter((one) => channels.includes(one)) }),
    template: {
      id: templateId.trim(),
      ...(templateVersion !== '' && { version: Number(templateVersion) }),
    },
    ...(category !== '' && { category }),
    ...workflowTimingOf(timing),
    publish: false,
  };
}

export const isChanged = (draft: Draft, saved: Draft): boolean =>
  JSON.stringify(requestOf(draft)) !== JSON.stringify(requestOf(saved));
