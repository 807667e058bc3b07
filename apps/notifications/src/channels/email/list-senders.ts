// GET /v1/senders: the senders that mail of the organisation may have. The operator sets them,
// since the provider must know them too.
import type { BaseDeps } from '../../base-deps.ts';

/** That of `email_from` first. */
export async function listSenders({ settings }: Pick<BaseDeps, 'settings'>, organizationId: string) {
  const emailFrom = await settings.get(organizationId, 'email_from');
  const listed = (await settings.get(organizationId, 'email_senders'))?.split(',') ?? [];
  const items = [
    ...(emailFrom === undefined ? [] : [{ sender: emailFrom, kind: 'address' as const, is_default: true }]),
    ...listed.map((sender) => ({
      sender,
      kind: sender.startsWith('@') ? ('domain' as const) : ('address' as const),
      is_default: false,
    })),
  ];
  return { items, next_cursor: null };
}
