// Stores what a provider's answer says beyond the outcome: addresses that accept no mail, and the
// id by which its events name the mail.
import { hashAddress } from '../../addresses/address-hash.ts';
import { addSuppressions } from '../../people/suppression.ts';
import type { MailDeps, MailProviderName, MailResult } from './mail-provider.ts';
import type { Mail } from './mail.rules.ts';

/** Never throws: the mail is out, and an attempt that failed now would send it again. */
export async function recordMailResult(
  deps: MailDeps,
  organizationId: string,
  provider: MailProviderName,
  mail: Mail,
  result: MailResult,
): Promise<void> {
  const faults = 'faults' in result ? (result.faults ?? []) : [];
  const messageId = result.kind === 'accepted' ? result.messageId : undefined;
  const { notificationId, deliveryId } = mail;
  try {
    if (provider === 'smtp' || provider === 'ses') {
      const bounces = faults.map(({ address, code: detail }) => ({ address, detail }));
      const facts = { reason: 'hard_bounce', source: provider, notificationId } as const;
      await addSuppressions(
        deps,
        deps.sql,
        organizationId,
        bounces.map((bounce) => ({ ...bounce, ...facts })),
      );
    }
    if (messageId === undefined) return;
    await deps.sql(
      `INSERT INTO sent_mails (organization_id, message_id, address_hash, delivery_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (organization_id, message_id) DO NOTHING`,
      [organizationId, messageId, hashAddress(organizationId, mail.to.address), deliveryId],
    );
  } catch (error) {
    deps.log.error({ err: error, notification_id: notificationId }, 'email.result_not_recorded');
  }
}
