// Pure: an address with a display name, as it stands in requests, settings and headers.
import { ADDRESS, ADDRESS_CHARACTERS_MAX } from './email-address.rules.ts';

/** A sender or receiver. */
export interface Mailbox {
  readonly name: string | undefined;
  readonly address: string;
}

const NAMED = /^([^\p{Cc}<>]*?) ?<([^<>]+)>$/u;
const QUOTED = /^"(.*)"$/;

/** `acme@example.org` or `Acme <acme@example.org>`, with or without quotes. */
export function parseMailbox(text: string): Mailbox | null {
  const named = NAMED.exec(text.trim());
  const address = named ? named[2]! : text.trim();
  if (!ADDRESS.test(address) || address.length > ADDRESS_CHARACTERS_MAX) return null;
  const given = named?.[1]?.trim() ?? '';
  const quoted = QUOTED.exec(given)?.[1];
  const name = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? given;
  return { name: name === '' ? undefined : name, address };
}

/** RFC 5322 §3.4, with the name quoted and as Unicode, as HTTP APIs expect it. */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === undefined ? address : `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
}

/** The address alone. A text that is no mailbox stays as it is. */
export function getAddress(text: string): string {
  return parseMailbox(text)?.address ?? text;
}

/**
 * Whether the organisation may send from the address: it is that of `email_from`, or
 * `email_senders` lists it or its domain (`@acme.example`).
 */
export function isSender(address: string, emailFrom: string | undefined, senders = ''): boolean {
  const wanted = address.toLowerCase();
  const domain = wanted.slice(wanted.lastIndexOf('@'));
  const listed = senders.toLowerCase().split(',');
  if (emailFrom !== undefined) listed.push(getAddress(emailFrom).toLowerCase());
  return listed.some((one) => one === wanted || one === domain);
}
