// Completes sends that name a workflow with its channels, template, category and timing, and checks
// the result like any send.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { AppError, jsonPointer, type FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import type { ChannelName } from '@parley/jobs';
import type { Deps } from '../deps.ts';
import { isPersonal } from '../people/opt-out.rules.ts';
import { requestedChannels } from '../timing/schemas.ts';
import { findWorkflow, type FoundWorkflow } from '../workflows/workflows.ts';
import type { WorkflowContent, WorkflowUse } from '../workflows/schemas.ts';
import { addSendProblems, findTargetUser, PROVIDED } from './request/request-rules.ts';
import type { GivenRequest, NotifyRequest } from './request/notify-request.ts';

/** Returns other sends unchanged. @throws AppError invalid_request */
export type ApplyWorkflow = (given: GivenRequest) => Promise<NotifyRequest>;

/** Loads each workflow of a request once. */
export function createWorkflowReader(deps: Deps, sql: Sql, organizationId: string): ApplyWorkflow {
  const known = new Map<string, FoundWorkflow | null>();
  const find = async ({ id, version }: WorkflowUse): Promise<FoundWorkflow | null> => {
    const key = `${id} ${version}`;
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const found = await findWorkflow(deps, sql, organizationId, id, version);
    known.set(key, found);
    return found;
  };
  return async (given) => {
    const { workflow, schedule: _schedule, ...send } = given;
    if (workflow === undefined) return send as NotifyRequest; // the schema demands channels then
    const found = await find(workflow);
    const refuse = (message: string) => createRefusal([{ path: '/workflow/id', message }]);
    if (!found)
      throw refuse(
        workflow.version === undefined
          ? 'has no published version'
          : `is not a workflow with version ${workflow.version}`,
      );
    if (!found.content)
      throw refuse(`has a channel in version ${found.version} that this deployment does not have`);
    const { throttle, digest, ...content } = found.content;
    const channels = content.channels ?? listPersonal(deps, content);
    const merged: NotifyRequest = {
      ...send,
      ...content,
      ...toTiming(workflow, { throttle, digest }, send.target),
      channels,
      template: { ...content.template, data: workflow.data },
      target: toTargets(deps, channels, content, send.target),
      workflow: { id: workflow.id, version: found.version },
    };
    const fields = findProblems(deps, merged);
    if (fields.length > 0) throw createRefusal(fields);
    return merged;
  };
}

const createRefusal = (fields: readonly FieldProblem[]) =>
  new AppError('invalid_request', 'the request is not valid', { fields });

type Steps = Pick<WorkflowContent, 'steps'>;

/** Channels that reach people and that no step has. */
function listPersonal({ channels }: Pick<Deps, 'channels'>, { steps }: Steps): ChannelName[] {
  const later = requestedChannels({ steps }).map(({ name }) => name);
  return [...channels.keys()].filter((name) => isPersonal(name) && !later.includes(name));
}

/** The keys belong to the target, so a workflow never joins sends to different people. */
function toTiming(
  { id, key }: WorkflowUse,
  { throttle, digest }: Pick<WorkflowContent, 'throttle' | 'digest'>,
  target: GivenRequest['target'],
): Pick<NotifyRequest, 'throttle' | 'digest'> {
  if (!throttle && !digest) return {};
  const derived = `workflow ${id} ${hash('sha256', JSON.stringify([key ?? null, target]))}`;
  return {
    throttle: throttle && { key: derived, ...throttle },
    digest: digest && { key: derived, ...digest },
  };
}

/** The given targets, and those of a user or topic for the other channels. */
function toTargets(
  deps: Pick<Deps, 'channels'>,
  channels: readonly ChannelName[],
  { steps }: Steps,
  given: GivenRequest['target'],
): GivenRequest['target'] {
  const user = findTargetUser(given);
  if (user === undefined) return given;
  const names = requestedChannels({ channels, steps }).map(({ name }) => name as ChannelName);
  const missing = names.filter((name) => isPersonal(name) && given[name] === undefined);
  const added = missing.map(
    (name) => [name, deps.channels.get(name)!.target.parse({ user_id: user })] as const,
  );
  return { ...given, ...Object.fromEntries<unknown>(added) };
}

/** Problems of members that the workflow provides are reported at `/workflow`. */
function findProblems(deps: Deps, merged: NotifyRequest): FieldProblem[] {
  const checked = z
    .custom<Record<string, unknown>>()
    .superRefine((request, context) => addSendProblems(request, deps, context))
    .safeParse(merged);
  return (checked.error?.issues ?? []).map(({ path, message }) => {
    const [name] = path;
    return PROVIDED.includes(String(name))
      ? { path: '/workflow', message: `${path.map(String).join('.')} ${message}` }
      : { path: jsonPointer(path), message };
  });
}
