// What organisations are told of themselves, through the notifications service: in the app, and by e-mail where they have an alert
// address.
import type { Sql } from '@parley/postgres';
import type { Outgoing, Trace } from '@parley/queues';
import type { Deps } from './deps.ts';

export interface Notice {
  readonly organizationId: string;
  readonly alertEmail: string | null;
  readonly subject: string;
  readonly message: string;
  readonly trace?: Trace;
}

export function noticeOf({ organizationId, alertEmail, subject, message, trace }: Notice): Outgoing {
  return {
    contract: 'notification.send',
    organizationId,
    ...(trace ? { trace } : {}),
    payload: {
      organization_id: organizationId,
      channels: alertEmail === null ? ['in_app'] : ['in_app', 'email'],
      ...(alertEmail === null ? {} : { target: { email: alertEmail } }),
      subject,
      message,
    },
  };
}

/** Named in one notice; the rest is counted. */
const NAMED_MAX = 10;

/**
 * Work that is set aside because workers died with it (docs/platform.md#quarantine): one notice an organisation, in the transaction that
 * does it. Gives what is to be done after it.
 */
export async function tellSetAside(
  { outbox, log }: Pick<Deps, 'outbox' | 'log'>,
  sql: Sql,
  rows: readonly { readonly organizationId: string; readonly what: string }[],
): Promise<() => void> {
  const byOrganization = new Map<string, string[]>();
  for (const { organizationId, what } of rows) {
    log.error({ organization_id: organizationId, what }, 'work.quarantined');
    if (!byOrganization.get(organizationId)?.push(what)) byOrganization.set(organizationId, [what]);
  }
  const addresses = await sql<{ id: string; alert_email: string | null }>(
    'SELECT id, alert_email FROM organizations WHERE id = ANY($1::text[])',
    [[...byOrganization.keys()]],
  );
  const notices = [...byOrganization].map(([organizationId, all]) => {
    const named = all.slice(0, NAMED_MAX).join(', ');
    const more = all.length > NAMED_MAX ? ` and ${all.length - NAMED_MAX} more` : '';
    return noticeOf({
      organizationId,
      alertEmail: addresses.find(({ id }) => id === organizationId)?.alert_email ?? null,
      subject: 'Work was set aside',
      message: `Workers ended without a word while they had this in hand: ${named}${more}. It waits until the operator puts it back.`,
    });
  });
  const enqueued = await outbox.enqueue(sql, notices);
  return () => void outbox.ring(enqueued);
}
