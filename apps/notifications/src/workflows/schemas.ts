// Wire schemas of workflows (docs/notifications.md#workflows).
import { z } from 'zod';
import type { ChannelName } from '@parley/jobs';
import { categoryId } from '../callers/caller-id.ts';
import type { Channels } from '../channels/channels.ts';
import { track } from '../engagements/schemas.ts';
import { templateData } from '../templates/schemas.ts';
import { addTimingProblems, requestedChannels, timingKey, workflowTimingMembers } from '../timing/schemas.ts';
import { contentId, publishMember, versionNumber } from '../versions/schemas.ts';

/** A channel that this deployment does not have is refused like an unknown name. */
export function workflowSchemas(channels: Channels) {
  const names: readonly ChannelName[] = [...channels.keys()];
  const known = z.enum(names, {
    error: () => `is not a channel: must be one of ${names.join(', ')}`,
  });
  const members = {
    channels: z
      .array(known)
      .min(1)
      .max(channels.size)
      .optional()
      .describe('Channels to send over. Default: every channel that reaches people and is in no step'),
    template: z.strictObject({
      id: contentId,
      version: versionNumber.optional().describe('Default: the published version'),
    }),
    category: categoryId.optional().describe('A category of the organisation'),
    ...workflowTimingMembers(channels),
    track: track.optional(),
  };
  return {
    workflowRequest: z
      .strictObject({ ...members, publish: publishMember })
      .superRefine(addChannelProblems)
      .superRefine(addTimingProblems)
      .meta({ id: 'WorkflowRequest', description: 'A new version of a workflow.' }),
    members,
    /** The stored form. */
    content: z.object(members),
  };
}

export type WorkflowContent = z.output<ReturnType<typeof workflowSchemas>['content']>;
export type WorkflowRequest = z.output<ReturnType<typeof workflowSchemas>['workflowRequest']>;

function addChannelProblems(
  workflow: { readonly channels?: unknown; readonly steps?: unknown },
  context: z.RefinementCtx,
): void {
  const all = requestedChannels(workflow);
  for (const [index, { name, path }] of all.entries())
    if (all.findIndex((one) => one.name === name) < index)
      context.addIssue({ code: 'custom', path, message: 'is requested twice' });
}

/** The workflow of a send. */
export const workflowUse = z.strictObject({
  id: contentId,
  version: versionNumber.optional().describe('Default: the published version'),
  data: templateData.optional().describe('Data for its template, at most 32 KiB'),
  key: timingKey
    .optional()
    .describe('Its throttle or digest joins only sends with the same key. Default: all to the same target'),
});
export type WorkflowUse = z.output<typeof workflowUse>;
