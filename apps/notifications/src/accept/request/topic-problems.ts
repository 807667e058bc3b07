// Refuses what a send to a topic cannot contain (docs/notifications.md#topics), since it is one
// request for many people.
import type { z } from 'zod';
import { getTargetUser } from '../../people/load-people.ts';
import { requestedChannels } from '../../timing/schemas.ts';

/** The `user_id` in every target that goes to members. */
export const MEMBER_PLACEHOLDER = 'a member of the topic';

interface Request {
  readonly channels?: unknown;
  readonly steps?: unknown;
  readonly target?: unknown;
  readonly digest?: unknown;
  readonly callback_url?: unknown;
}

interface Email {
  readonly cc?: unknown;
  readonly bcc?: unknown;
  readonly attachments?: unknown;
}

/** Their own schemas report missing and malformed members. */
export function addTopicProblems(request: Request, context: z.RefinementCtx): void {
  const targets = (request.target ?? {}) as Readonly<Record<string, unknown>>;
  if (targets['topic_id'] === undefined) return;
  const problem = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  if (targets['user_id'] !== undefined) problem(['target', 'topic_id'], 'is not allowed with user_id');
  const requested = requestedChannels(request).map(({ name }) => String(name));
  for (const name of requested)
    if (getTargetUser(targets[name]) !== MEMBER_PLACEHOLDER)
      problem(['target', name], 'goes to the members of the topic and must not name another receiver');
  if (request.digest !== undefined) problem(['digest'], 'is not allowed in a send to a topic');
  if (request.callback_url !== undefined)
    problem(['callback_url'], 'is not allowed in a send to a topic, which has no channels to settle');
  if (requested.includes('email')) addMailProblems(targets['email'] ?? {}, problem);
}

function addMailProblems(email: Email, problem: (path: (string | number)[], message: string) => void): void {
  for (const name of ['cc', 'bcc'] as const)
    if (email[name] !== undefined)
      problem(
        ['target', 'email', name],
        'is not allowed in a send to a topic: it would receive the mail of every member',
      );
  const { attachments } = email;
  if (!Array.isArray(attachments)) return;
  for (const [index, given] of (attachments as unknown[]).entries())
    if ((given as { content?: unknown } | null)?.content !== undefined)
      problem(
        ['target', 'email', 'attachments', index, 'content'],
        'must be given by its `url` in a send to a topic',
      );
}
