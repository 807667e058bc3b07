// Validates e-mail addresses of requests: safe in a header, and with a valid
// domain.
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { ADDRESS, ADDRESS_CHARACTERS_MAX } from './email-address.rules.ts';
import { parseMailbox } from './mailbox.rules.ts';

/** RFC 5321 §4.5.3.1.1. */
const LOCAL_PART_OCTETS_MAX = 64;
const ASCII = /^[\0-\x7f]*$/;

/** Whether mail can be sent to the address. Accepts non-Latin scripts in both parts (RFC 6531). */
export function isAddress(text: string): boolean {
  if (!ADDRESS.test(text)) return false;
  const [local, domain] = text.split('@') as [string, string];
  if (Buffer.byteLength(local) > LOCAL_PART_OCTETS_MAX) return false;
  return z.regexes.email.test(`${ASCII.test(local) ? local : 'local'}@${domainToASCII(domain)}`);
}

/** RFC 5322 allows more; readers see the first words. */
const MAILBOX_CHARACTERS_MAX = 400;

/** An address that mail can be sent to, bare or with a display name. */
export const mailboxText = z
  .string()
  .max(MAILBOX_CHARACTERS_MAX)
  .refine(
    (text) => isAddress(parseMailbox(text)?.address ?? ''),
    'must be an e-mail address, or a name and an address: Ada <ada@example.com>',
  );

/** An address that mail can be sent to. */
export const emailAddress = z
  .string()
  .max(ADDRESS_CHARACTERS_MAX)
  .refine(isAddress, 'must be an e-mail address')
  .meta({ format: 'email' });
