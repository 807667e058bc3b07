// Every column that is sealed under DATA_KEY, and the context of its seal. Services seal and open
// by it, `parley rewrap` re-seals by it. Omits stored answers of Idempotency-Keys and chats: they
// are deleted after a day.

/**
 * The part of a row that its seal is bound to: copied into another row or organisation it does not
 * open.
 */
export interface SealedRow {
  readonly organizationId: string;
  readonly id: string;
}

// The spellings differ because existing seals use them.
export const webhookContext = ({ organizationId, id }: SealedRow) => `webhook:${organizationId}:${id}`;
export const oneOffContext = ({ organizationId, id }: SealedRow) => `one-off:${organizationId}:${id}`;
export const importTokenContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['import_token', organizationId, id]);
export const importReportContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['import_report', organizationId, id]);
export const applicationContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['application', organizationId, id]);
export const deliveryContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['delivery', organizationId, id]);
export const callbackContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['callback', organizationId, id]);
export const subscriptionContext = ({ organizationId, id }: SealedRow) =>
  `push_subscription:${organizationId}:${id}`;
export const recipientContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['recipient', organizationId, id]);

export const suppressionContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['suppression', organizationId, id]);

export const sharedContentContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['shared_content', organizationId, id]);

export const recurringContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['recurring_send', organizationId, id]);

/** Of the key of an organisation's provider of models, or of its fallback. */
export const modelKeyContext =
  (use: 'provider' | 'fallback') =>
  ({ organizationId, id }: SealedRow) =>
    JSON.stringify(['model_settings', use, organizationId, id]);

export const modelProviderContext = ({ organizationId, id }: SealedRow) =>
  JSON.stringify(['model_provider', organizationId, id]);

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly buildContext: (row: SealedRow) => string;
}

/** Tables are keyed by `id` and have an `organization_id`. */
export const sealedColumns: Readonly<
  Record<'flow-builder' | 'voice-api' | 'notifications', readonly SealedColumn[]>
> = {
  'flow-builder': [
    { table: 'model_settings', column: 'provider_key', buildContext: modelKeyContext('provider') },
    { table: 'model_settings', column: 'fallback_key', buildContext: modelKeyContext('fallback') },
    { table: 'model_providers', column: 'key', buildContext: modelProviderContext },
  ],
  'voice-api': [
    { table: 'webhooks', column: 'secret', buildContext: webhookContext },
    { table: 'webhooks', column: 'previous_secret', buildContext: webhookContext },
    { table: 'webhooks', column: 'headers', buildContext: webhookContext },
    { table: 'webhooks', column: 'signing_key', buildContext: webhookContext },
    { table: 'webhooks', column: 'previous_signing_key', buildContext: webhookContext },
    { table: 'webhook_events', column: 'target', buildContext: oneOffContext },
    { table: 'import_tokens', column: 'secret', buildContext: importTokenContext },
    { table: 'import_reports', column: 'sealed', buildContext: importReportContext },
    { table: 'applications', column: 'portal_key', buildContext: applicationContext },
  ],
  notifications: [
    { table: 'deliveries', column: 'sealed', buildContext: deliveryContext },
    { table: 'shared_contents', column: 'sealed', buildContext: sharedContentContext },
    { table: 'notification_callbacks', column: 'sealed', buildContext: callbackContext },
    { table: 'push_subscriptions', column: 'sealed', buildContext: subscriptionContext },
    { table: 'recipients', column: 'sealed', buildContext: recipientContext },
    { table: 'suppressions', column: 'sealed', buildContext: suppressionContext },
    { table: 'recurring_sends', column: 'sealed', buildContext: recurringContext },
  ],
};
