// What may be mailed to, as it is asked of a request: what a header takes (mail.rules.ts), and a domain of the network.
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { ADDRESS } from './mail.rules.ts';

/** RFC 5321 §4.5.3.1.1. */
const LOCAL_PART_OCTETS_MAX = 64;
const ASCII = /^[\0-\x7f]*$/;

/** An address that mail can be sent to; other scripts than Latin as RFC 6531 writes them, also in the part before the @. */
export function isAddress(text: string): boolean {
  if (!ADDRESS.test(text)) return false;
  const [local, domain] = text.split('@') as [string, string];
  if (Buffer.byteLength(local) > LOCAL_PART_OCTETS_MAX) return false;
  return z.regexes.email.test(`${ASCII.test(local) ? local : 'local'}@${domainToASCII(domain)}`);
}
