// A channel that was asked to reach a recipient whose address for it nobody knows.
import type { Plan } from '../channels/channel.ts';
import type { Kept, Recipient } from './recipient.ts';

export function notReached(userId: string, recipient: Recipient | undefined, address: keyof Kept): Plan {
  const reason = recipient
    ? `the recipient "${userId}" has no ${address}`
    : `there is no recipient "${userId}"`;
  return { ok: false, kind: 'unconfigured', reason };
}
