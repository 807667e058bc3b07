// Links that a recipient opens without signing in: to the preferences, or to unsubscribe from a
// category on a channel. Each link names its recipient and is signed with the recipient's own key.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@parley/envelopes';
import type { Caller, OwnCredential } from '@parley/server/http';
import { isSameText } from '@parley/server/runtime';
import type { BaseDeps } from '../base-deps.ts';
import { readSignedText, signedText } from '../callers/signed-text.ts';
import { findRecipientById, type Recipient } from './recipient.ts';

/** What a link opens. */
export type LinkTo =
  | { readonly kind: 'preferences' }
  | { readonly kind: 'unsubscribe'; readonly category: string; readonly channel: string };

const payload = z.union([
  z.tuple([z.string().max(64)]),
  z.tuple([z.string().max(64), z.string().max(64), z.string().max(32)]),
]);

const LINK_CHARACTERS_MAX = 512;

export function makeLink({ id, contact }: Pick<Recipient, 'id' | 'contact'>, to: LinkTo): string {
  const parts = to.kind === 'preferences' ? [id] : [id, to.category, to.channel];
  return signedText(parts, (text) => computeMac(contact.link_key, text));
}

/** See docs/notifications.md#unsubscribing. */
export function unsubscribeUrl(
  base: string,
  recipient: Pick<Recipient, 'id' | 'contact'>,
  category: string,
  channel: string,
): string {
  return `${base}/v1/unsubscribe?link=${makeLink(recipient, { kind: 'unsubscribe', category, channel })}`;
}

/** The page of the preferences. */
export function preferencesUrl(base: string, recipient: Pick<Recipient, 'id' | 'contact'>): string {
  return `${base}/v1/preferences/page?link=${makeLink(recipient, { kind: 'preferences' })}`;
}

function computeMac(key: string, text: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url');
}

/** Null when the link is invalid or its recipient was deleted. */
export async function openLink(
  deps: Pick<BaseDeps, 'dataSealer' | 'sql'>,
  link: string,
): Promise<{ readonly recipient: Recipient; readonly to: LinkTo } | null> {
  const signed = readSignedText(link, LINK_CHARACTERS_MAX);
  const parts = payload.safeParse(signed?.parts).data;
  if (!signed || !parts) return null;
  const [id, category, channel] = parts;
  const recipient = await findRecipientById(deps, deps.sql, id);
  if (!recipient) return null;
  // Compares text: base64url can spell the same bytes in several ways, and only one is valid.
  if (!isSameText(computeMac(recipient.contact.link_key, signed.text), signed.signature)) return null;
  const to: LinkTo =
    category === undefined || channel === undefined
      ? { kind: 'preferences' }
      : { kind: 'unsubscribe', category, channel };
  return { recipient, to };
}

/** The POST of a mail program; a page cannot forge it by accident (RFC 8058 §3.1). */
const ONE_CLICK = 'List-Unsubscribe=One-Click';
const ONE_CLICK_PART =
  /^content-disposition:\s*form-data;\s*name="?List-Unsubscribe"?\s*\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\s*$/im;
/** The two content types of RFC 8058. */
const URLENCODED = /^application\/x-www-form-urlencoded\b/i;
const MULTIPART = /^multipart\/form-data\b/i;

export function isOneClick(contentType: string | undefined, body: string): boolean {
  if (URLENCODED.test(contentType ?? '')) return body.split('&').includes(ONE_CLICK);
  return MULTIPART.test(contentType ?? '') && ONE_CLICK_PART.test(body);
}

/** Accepts `?link=` of this `kind`. `oneClick`: the body must confirm. */
export function linkCredential(
  deps: Pick<BaseDeps, 'dataSealer' | 'sql'>,
  kind: LinkTo['kind'],
  oneClick = false,
): OwnCredential {
  return {
    scheme: {
      name: 'recipientLink',
      in: 'query',
      parameter: 'link',
      description: 'A signed link of a recipient, from a mail or from POST /v1/recipients/{user_id}/link.',
    },
    orBearer: kind === 'preferences',
    verify: async ({ query: { link }, header, rawBody }) => {
      if (link === undefined) return null;
      const found = typeof link === 'string' ? await openLink(deps, link) : null;
      if (found?.to.kind !== kind)
        throw new AppError('unauthorized', 'the link is invalid or no longer valid');
      if (oneClick && !isOneClick(header('content-type'), (await rawBody()).toString('latin1')))
        throw new AppError('invalid_request', `the body must be the form ${ONE_CLICK} (RFC 8058)`);
      const { id, organizationId, userId } = found.recipient;
      return toCaller(id, organizationId, userId);
    },
  };
}

function toCaller(id: string, organizationId: string, subject: string): Caller {
  const scopes = new Set(['read', 'write'] as const);
  return { organizationId, kind: 'signature', principal: id, subject, scopes };
}
