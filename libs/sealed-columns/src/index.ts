// Every column that keeps something sealed under DATA_KEY, and what each seal is bound to: services seal and open by it, `parley rewrap`
// seals anew by it. Stored answers of Idempotency-Keys and of chats are left out: they are gone after a day.

/** What of a row its seal is bound to: copied into another row or organisation it does not open. */
export interface SealedRow {
  readonly organizationId: string;
  readonly id: string;
}

// The spellings differ because what is sealed was sealed by them.
export const webhookContext = ({ organizationId, id }: SealedRow) => `webhook:${organizationId}:${id}`;
export const oneOffContext = ({ organizationId, id }: SealedRow) => `one-off:${organizationId}:${id}`;
export const deliveryContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['delivery', organizationId, id]);
export const callbackContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['callback', organizationId, id]);
export const subscriptionContext = ({ organizationId, id }: SealedRow) =>
  `push_subscription:${organizationId}:${id}`;
export const recipientContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['recipient', organizationId, id]);

export const sharedContentContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['shared_content', organizationId, id]);

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly contextOf: (row: SealedRow) => string;
}

/** Tables are keyed by `id` and have an `organization_id`. */
export const sealedColumns: Readonly<
  Record<'flow-builder' | 'voice-api' | 'notifications', readonly SealedColumn[]>
> = {
  'flow-builder': [],
  'voice-api': [
    { table: 'webhooks', column: 'secret', contextOf: webhookContext },
    { table: 'webhooks', column: 'previous_secret', contextOf: webhookContext },
    { table: 'webhooks', column: 'headers', contextOf: webhookContext },
    { table: 'webhooks', column: 'signing_key', contextOf: webhookContext },
    { table: 'webhooks', column: 'previous_signing_key', contextOf: webhookContext },
    { table: 'webhook_events', column: 'target', contextOf: oneOffContext },
  ],
  notifications: [
    { table: 'deliveries', column: 'sealed', contextOf: deliveryContext },
    { table: 'shared_contents', column: 'sealed', contextOf: sharedContentContext },
    { table: 'notification_callbacks', column: 'sealed', contextOf: callbackContext },
    { table: 'push_subscriptions', column: 'sealed', contextOf: subscriptionContext },
    { table: 'recipients', column: 'sealed', contextOf: recipientContext },
  ],
};
