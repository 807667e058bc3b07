// The digest by which suppressed addresses are found. It stays when the address itself is erased.
import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { getAddress } from './mailbox.rules.ts';

/**
 * Computable by anyone who knows the address. Differs between organisations. A display name does
 * not matter.
 */
export function hashAddress(organizationId: string, address: string): Buffer {
  return createHash('sha256')
    .update(`${organizationId}\n${normalizeAddress(getAddress(address))}`)
    .digest();
}

/** Case matters in no mailbox in use, though RFC 5321 §2.4 allows it. */
function normalizeAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`.toLowerCase();
}
