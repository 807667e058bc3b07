// Actions of the audit log in words, and where their objects are.
import type { IconName } from '../ui/icon.tsx';

/** By action: what the actor did, before the name of the object. */
const WORDS: Readonly<Record<string, string>> = {
  'api_key.issued': 'created the key',
  'api_key.rotated': 'rotated the key',
  'api_key.revoked': 'revoked the key',
  'flow.published': 'published the flow',
  'flow.unpublished': 'unpublished the flow',
  'flow.archived': 'archived the flow',
  'flow.restored': 'restored the flow',
  'flow.purged': 'deleted the flow',
  'gateway.checked': 'checked the provider of models',
  'model_settings.changed': 'changed the settings of models',
  'model_settings.deleted': 'deleted the settings of models',
  'bot.archived': 'archived the bot',
  'bot.restored': 'restored the bot',
  'bot.purged': 'deleted the bot',
  'conversation.deleted': 'erased the conversation',
  'conversation.held': 'set a legal hold on the conversation',
  'conversation.released': 'removed the legal hold of the conversation',
  'caller.erased': 'erased a caller',
  'retention.changed': 'changed the retention of',
  'conversations.deleted': 'erased conversations',
  'export.created': 'exported conversations',
  'webhook.registered': 'created the webhook',
  'webhook.changed': 'changed the webhook',
  'webhook.deleted': 'deleted the webhook',
  'webhook.secret_rotated': 'rotated the secret of the webhook',
  'import_token.created': 'created the import token',
  'import_token.revoked': 'revoked the import token',
  'suppression.added': 'suppressed addresses',
  'suppression.removed': 'allowed mail again to an address',
  'template.published': 'published the template',
  'template.unpublished': 'unpublished the template',
  'template.deleted': 'deleted the template',
  'workflow.published': 'published the workflow',
  'workflow.unpublished': 'unpublished the workflow',
  'workflow.deleted': 'deleted the workflow',
  'organization.changed': 'changed plan, limits or addresses of the organisation',
  'setting.set': 'set the setting',
  'setting.unset': 'removed the setting',
};

/** A later release may have more actions. */
export const describeAction = (action: string): string => WORDS[action] ?? action.replaceAll(/[._]/g, ' ');

const GONE = /\.(?:purged|deleted)$/;

/** The page of the object of an action; null when there is none, or no more. */
export function findTarget(action: string, target: string): string | null {
  if (GONE.test(action)) return null;
  const id = encodeURIComponent(target);
  if (action.startsWith('flow.')) return `/flows/${id}`;
  if (action.startsWith('template.')) return `/notifications/templates/${id}`;
  if (action.startsWith('workflow.')) return `/notifications/workflows/${id}`;
  return action.startsWith('webhook.') ? `/webhooks/${id}` : null;
}

/** Objects whose id says nothing to people, because the words before it already name them. */
export const isNamed = (action: string): boolean =>
  ![
    'gateway.checked',
    'caller.erased',
    'conversations.deleted',
    'export.created',
    'organization.changed',
  ].includes(action) && !/^(?:suppression|model_settings)\./.test(action);

export const auditIcon = (action: string): IconName => {
  if (action.startsWith('flow.')) return 'flows';
  if (action.startsWith('webhook.')) return 'webhooks';
  return action.startsWith('api_key.') ? 'keys' : 'organization';
};
