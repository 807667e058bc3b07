// What a send to a topic cannot say (docs/notifications.md#topics): it is one request for many people.
import type { z } from 'zod';
import { userIn } from '../recipients/people.ts';
import { requestedChannels } from '../timing/schemas.ts';
import { MEMBER } from './stand-in.ts';

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

/** Members may be missing or wrong: that is reported by their own schema. */
export function addTopicProblems(request: Request, context: z.RefinementCtx): void {
  const targets = (request.target ?? {}) as Readonly<Record<string, unknown>>;
  if (targets['topic_id'] === undefined) return;
  const problem = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  if (targets['user_id'] !== undefined) problem(['target', 'topic_id'], 'cannot stand beside user_id');
  const requested = requestedChannels(request).map(({ name }) => String(name));
  for (const name of requested)
    if (userIn(targets[name]) !== MEMBER)
      problem(['target', name], 'goes to the members of the topic, and can name nobody else');
  if (request.digest !== undefined)
    problem(['digest'], 'is for a send to a person: it cannot collect what goes to a topic');
  if (request.callback_url !== undefined)
    problem(['callback_url'], 'is for a send to a person: a send to a topic has no channels that settle');
  if (requested.includes('email')) addMailProblems(targets['email'] ?? {}, problem);
}

function addMailProblems(email: Email, problem: (path: (string | number)[], message: string) => void): void {
  for (const name of ['cc', 'bcc'] as const)
    if (email[name] !== undefined)
      problem(['target', 'email', name], 'would get the mail of every member of the topic');
  const { attachments } = email;
  if (!Array.isArray(attachments)) return;
  for (const [index, given] of (attachments as unknown[]).entries())
    if ((given as { content?: unknown } | null)?.content !== undefined)
      problem(
        ['target', 'email', 'attachments', index, 'content'],
        'must be given by its `url` in a send to a topic',
      );
}
