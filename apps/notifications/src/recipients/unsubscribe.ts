// GET and POST /v1/unsubscribe, the targets of links in mails. A mail program posts and is done
// (RFC 8058, one click). A reader who follows the link gets a page with a button that posts:
// programs follow links too, so GET changes nothing.
import { AppError } from '@parley/envelopes';
import type { Reply } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { openLink } from '../people/links.ts';
import { listCategories } from './manage-categories.ts';
import { applyChanges, type Category } from '../people/opt-out.rules.ts';
import { addSuppressions } from '../people/suppression.ts';
import { escapeHtml, page } from './page.ts';
import { changeChoices } from './preferences.ts';

const TITLE = 'Unsubscribe';

const NOUNS: Readonly<Record<string, string>> = {
  chat: 'chat messages',
  email: 'mail',
  in_app: 'messages in the app',
  web_push: 'push messages',
};

const getNoun = (channel: string) => NOUNS[channel] ?? 'messages';

interface UnsubscribeRequest {
  readonly organizationId: string;
  readonly userId: string;
  readonly channel: string;
  /** Undefined when the category was deleted. */
  readonly category: Category | undefined;
  readonly all: readonly Category[];
  /** The recipient's current address. */
  readonly email: string | undefined;
}

/** Reads the link; its signature is already verified. */
async function readLink(deps: Deps, link: string): Promise<UnsubscribeRequest> {
  const found = await openLink(deps, link);
  if (found?.to.kind !== 'unsubscribe')
    throw new AppError('unauthorized', 'the link is invalid or no longer valid');
  const { organizationId, userId, contact } = found.recipient;
  const { category: id, channel } = found.to;
  const all = await listCategories(deps.sql, organizationId);
  const category = all.find((one) => one.id === id);
  return { organizationId, userId, channel, category, all, email: contact.email };
}

/** Changes nothing. */
export async function showUnsubscribePage(deps: Deps, link: string): Promise<Reply> {
  const { category, channel } = await readLink(deps, link);
  if (!category || category.required) return page(TITLE, describeNothingToDo(category));
  const question = `<h1>Unsubscribe</h1><p>No more ${getNoun(channel)} of “${escapeHtml(category.name)}”?</p>
${form('', 'Unsubscribe')}`;
  if (channel !== 'email') return page(TITLE, question);
  return page(
    TITLE,
    `${question}
<p>Or no more mail at all, except what is required, such as security notices?</p>
${form(` action="?link=${escapeHtml(link)}&amp;all=true"`, 'Unsubscribe from all')}`,
  );
}

/** The body of a mail program's POST, which `linkCredential` requires. */
function form(attributes: string, verb: string): string {
  return `<form method="post"${attributes}><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${verb}</button></form>`;
}

/**
 * Idempotent, without a redirect (RFC 8058 §3.1). `fromAll`: also suppresses the address
 * (docs/notifications.md#suppressions).
 */
export async function unsubscribe(deps: Deps, link: string, fromAll: boolean): Promise<Reply> {
  const { organizationId, userId, channel, category, all, email } = await readLink(deps, link);
  if (!category || category.required) return page(TITLE, describeNothingToDo(category));
  await deps.transact(async (sql) => {
    await changeChoices(deps, sql, organizationId, userId, (before) =>
      applyChanges(before, { categories: { [category.id]: { [channel]: false } } }, all),
    );
    if (!fromAll || channel !== 'email' || email === undefined) return;
    const facts = {
      reason: 'unsubscribe',
      source: 'link',
      detail: category.id,
      notificationId: null,
    } as const;
    await addSuppressions(deps, sql, organizationId, [{ address: email, ...facts }]);
  });
  if (fromAll && channel === 'email')
    return page(TITLE, '<h1>Unsubscribed</h1><p>You get no more mail, except what is required.</p>');
  const facts = { organization_id: organizationId, category: category.id, channel };
  deps.log.info(facts, 'recipient.unsubscribed');
  return page(
    TITLE,
    `<h1>Unsubscribed</h1><p>You get no more ${getNoun(channel)} of “${escapeHtml(category.name)}”.</p>`,
  );
}

function describeNothingToDo(category: Category | undefined): string {
  return category
    ? `<h1>Nothing to unsubscribe from</h1><p>“${escapeHtml(category.name)}” cannot be switched off.</p>`
    : '<h1>Unsubscribed</h1><p>There are no more messages of this kind.</p>';
}
