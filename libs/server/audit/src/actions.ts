// Every audited action. For a new one add a row here, and call `audit` in the transaction that does
// it.

export const auditActions = {
  'api_key.issued': 'A product API key was issued',
  'api_key.changed': 'A key was changed; `details` holds its name, scopes and restrictions',
  'api_key.rotated': 'A key was rotated; `details.successor` is the id of the new key',
  'api_key.revoked': 'A key was revoked',
  'flow.published': 'The publish pointer of a flow moved to `details.version`',
  'flow.unpublished': 'The publish pointer of a flow was cleared',
  'flow.archived': 'A flow was archived',
  'flow.restored': 'An archived flow was restored',
  'flow.purged': 'An archived flow was deleted permanently',
  'gateway.checked': 'The provider of models was tried; `details.ok` says whether it works',
  'model_settings.changed':
    'Provider, fallback, prices or budget of models changed; `details` holds them without keys',
  'model_settings.deleted': 'The model settings of the organisation were deleted',
  'bot.archived': 'A bot was archived',
  'bot.restored': 'An archived bot was restored',
  'bot.purged': 'A bot and its conversations were deleted permanently',
  'conversation.deleted': 'A conversation was erased',
  'conversation.held': 'A conversation got a legal hold; `details.reason` says why',
  'conversation.released': 'The legal hold of a conversation ended; `details.reason` was its reason',
  'retention.changed': 'The retention of an organisation or of a bot was changed; `details` holds the rules',
  'caller.erased':
    'All conversations of a caller were erased; the target is a digest, `details.count` their number',
  'conversations.deleted': 'Conversations were erased by a filter; `details.count` is their number',
  'export.created': 'Conversations were exported into a file',
  'webhook.registered': 'A webhook was registered',
  'webhook.changed': 'A webhook was changed; `details` holds the requested changes',
  'webhook.deleted': 'A webhook was removed',
  'webhook.secret_rotated': 'A webhook got a new secret',
  'application.saved': 'An application was created or renamed',
  'application.deleted': 'An application was deleted with its webhooks',
  'portal_link.created':
    'A link to the portal of an application was created; `details` holds scopes and expiry',
  'portal_links.revoked': 'All links to the portal of an application were revoked',
  'import_token.created': 'A token for reports of a vendor was created',
  'import_token.revoked': 'A token for reports of a vendor was revoked',
  'suppression.added': 'Addresses were suppressed by the API; `details` holds the reason and their number',
  'suppression.removed': 'An address gets mail again; `details` holds the reason and the hash of the address',
  'template.published': 'The publish pointer of a template moved to `details.version`',
  'template.unpublished': 'The publish pointer of a template was cleared',
  'template.deleted': 'A template was deleted with all versions',
  'workflow.published': 'The publish pointer of a workflow moved to `details.version`',
  'workflow.unpublished': 'The publish pointer of a workflow was cleared',
  'workflow.deleted': 'A workflow was deleted with all versions',
  'organization.changed':
    'The operator changed plan, limits or addresses; `details` holds the requested changes',
  'setting.set': 'The operator set a setting; for a secret only its reference is recorded',
  'setting.unset': 'The operator removed a setting',
} as const;

export type AuditAction = keyof typeof auditActions;
export const AUDIT_ACTIONS = Object.keys(auditActions) as AuditAction[];
