// GET and POST /v1/unsubscribe: what the links of mails lead to. A mail program posts (RFC 8058, one click) and is done; a reader who
// follows the link sees a page that asks, since programs follow links as well, and only its button posts.
import { AppError } from '@parley/envelopes';
import { Reply } from '@parley/http';
import type { Deps } from '../deps.ts';
import { openLink } from './links.ts';
import { allCategories } from './manage-categories.ts';
import { changed, type Category } from './preference.rules.ts';
import { changeSwitchedOff } from './preferences.ts';

interface Asked {
  readonly organizationId: string;
  readonly userId: string;
  readonly channel: string;
  /** Undefined when the organisation has it no more. */
  readonly category: Category | undefined;
  readonly all: readonly Category[];
}

/** What the link asks for; its signature has been verified. */
async function askedBy(deps: Deps, link: string): Promise<Asked> {
  const found = await openLink(deps, link);
  if (found?.to.kind !== 'unsubscribe') throw new AppError('unauthorized', 'the link is not valid any more');
  const { organizationId, userId } = found.recipient;
  const { category: id, channel } = found.to;
  const all = await allCategories(deps.sql, organizationId);
  return { organizationId, userId, channel, category: all.find((category) => category.id === id), all };
}

/** Changes nothing. */
export async function askToUnsubscribe(deps: Deps, link: string): Promise<Reply> {
  const { category } = await askedBy(deps, link);
  if (!category || category.required) return page(nothingToDo(category));
  return page(
    `<h1>Unsubscribe</h1><p>No more mail of “${escaped(category.name)}”?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
  );
}

/** Idempotent, and answered by no redirect (RFC 8058 §3.1). */
export async function unsubscribe(deps: Deps, link: string): Promise<Reply> {
  const { organizationId, userId, channel, category, all } = await askedBy(deps, link);
  if (!category || category.required) return page(nothingToDo(category));
  await deps.transact((sql) =>
    changeSwitchedOff(deps, sql, organizationId, userId, (before) =>
      changed(before, { [category.id]: { [channel]: false } }, all),
    ),
  );
  const facts = { organization_id: organizationId, category: category.id, channel };
  deps.log.info(facts, 'recipient.unsubscribed');
  return page(`<h1>Unsubscribed</h1><p>You get no more mail of “${escaped(category.name)}”.</p>`);
}

function nothingToDo(category: Category | undefined): string {
  return category
    ? `<h1>Nothing to unsubscribe from</h1><p>Mail of “${escaped(category.name)}” cannot be switched off.</p>`
    : '<h1>Unsubscribed</h1><p>There is no more mail of this kind.</p>';
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** Without a script, a style sheet or a cookie; nothing may frame it, and its address, a credential, goes to nobody. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
};

function page(body: string): Reply {
  return new Reply(
    `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>Unsubscribe</title>
<body>${body}</body></html>
`,
    { headers: HEADERS },
  );
}
