// Every audited action. For a new one add a row here, and call `audit` in the transaction that does
// it.

export const auditActions = {
  'api_key.issued': 'A product API key was issued',
  'api_key.rotated': 'A key got a successor; `details.successor` is its id',
  'api_key.revoked': 'A key was revoked',
  'flow.published': 'The publish pointer of a flow moved to `details.version`',
  'flow.unpublished': 'The publish pointer of a flow was cleared',
  'flow.archived': 'A flow was archived',
  'flow.restored': 'An archived flow was brought back',
  'flow.purged': 'A flow that was archived long enough ago was removed for ever',
  'bot.archived': 'A bot was archived',
  'bot.restored': 'An archived bot was brought back',
  'bot.purged': 'A bot and its conversations were removed for ever',
  'conversation.deleted': 'A conversation was erased',
  'conversations.deleted': 'Conversations were erased by a filter; `details.count` says how many',
  'export.created': 'Somebody had conversations written into a file',
  'webhook.registered': 'A webhook was registered',
  'webhook.changed': 'A webhook was changed; `details` has what was asked for',
  'webhook.deleted': 'A webhook was removed',
  'webhook.secret_rotated': 'A webhook got a new secret',
  'organization.changed': 'The operator changed plan, limits or addresses; `details` has what was asked for',
  'setting.set': 'The operator set a setting; of a secret only its reference is known',
  'setting.unset': 'The operator took a setting away',
} as const;

export type AuditAction = keyof typeof auditActions;
export const AUDIT_ACTIONS = Object.keys(auditActions) as AuditAction[];
