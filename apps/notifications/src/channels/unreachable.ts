// The plan for a recipient without an address for the channel.
import type { Plan } from './channel.ts';
import type { Contact, Recipient } from '../people/recipient.ts';

export function planUnreachable(
  userId: string,
  recipient: Recipient | undefined,
  address: keyof Contact,
): Plan {
  const reason = recipient
    ? `the recipient "${userId}" has no ${address}`
    : `there is no recipient "${userId}"`;
  return { ok: false, kind: 'unconfigured', reason };
}
