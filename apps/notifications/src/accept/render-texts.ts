// Renders the template of a send for its recipient.
import type { FieldProblem } from '@parley/envelopes';
import type { ChannelName } from '@parley/jobs';
import { digestData } from '../deliver/render-digest.ts';
import { findSendUser, type People } from '../people/load-people.ts';
import type { Category } from '../people/opt-out.rules.ts';
import type { Recipient } from '../people/recipient.ts';
import { toTemplateRecipient } from '../people/template-recipient.ts';
import { usesLink, type ChannelTexts, type LinkName } from '../rendering/render-template.ts';
import type { TemplatePerson, TemplateReader } from '../templates/use-template.ts';
import { requestedChannels } from '../timing/schemas.ts';
import type { NotifyRequest } from './request/notify-request.ts';
import { MEMBER_PLACEHOLDER } from './request/request-rules.ts';

/** Undefined without a template, which may have texts for each channel. */
export async function renderTexts(
  { templates, people }: { readonly templates: TemplateReader; readonly people: People },
  body: NotifyRequest,
  locale: string | undefined,
) {
  const { template, digest } = body;
  if (!template) return undefined;
  const names = requestedChannels(body).map(({ name }) => name as ChannelName);
  const user = findSendUser(body, people);
  const person = user === undefined ? undefined : toPerson(user, people);
  return templates.use(template, locale, names, person, digest && digestData([template.data ?? {}], 1));
}

function toPerson(user: string, { recipients }: People): TemplatePerson {
  const recipient = toTemplateRecipient(user, recipients.get(user));
  return { recipient, isSample: user === MEMBER_PLACEHOLDER };
}

/** Links in the texts need a recipient, and a category to unsubscribe from. */
export function findLinkProblem(
  texts: ChannelTexts,
  recipient: Recipient | undefined,
  category: Category | undefined,
): FieldProblem | undefined {
  const problem = (name: LinkName, needed: string) => ({
    path: '/template',
    message: `uses ${name}, which needs ${needed}`,
  });
  if (usesLink(texts, 'preferences_url') && !recipient)
    return problem('preferences_url', 'a stored recipient as user_id');
  if (!usesLink(texts, 'unsubscribe_url') || (recipient && category && !category.required)) return undefined;
  return problem('unsubscribe_url', 'a stored recipient as user_id and a category that can be switched off');
}
