// The webhooks that get the events of an agent: its own, and those of all agents.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePermissions } from '../session/scopes.tsx';
import { Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { webhooksQuery } from '../webhooks/api.ts';
import { WebhookBadge } from '../webhooks/status.tsx';
import type { Agent } from './api.ts';

/** The most that the API lists in one answer. */
const WEBHOOKS_MAX = 100;

export function AgentWebhooks({ agent: { id } }: { agent: Agent }) {
  const { can } = usePermissions('voice-api');
  const list = useQuery(webhooksQuery({ health: 'true', limit: WEBHOOKS_MAX }));
  const ours = (list.data?.items ?? []).filter(({ bot_ids }) => bot_ids.length === 0 || bot_ids.includes(id));
  return (
    <Section title="Webhooks">
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && ours.length === 0 && (
        <p className="text-ink-2">
          No webhook gets the events of this agent.{' '}
          {can('write') && (
            <Link to="/webhooks" className={rowLink}>
              Open webhooks
            </Link>
          )}
        </p>
      )}
      {ours.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {ours.map((webhook) => (
            <li key={webhook.id} className="flex items-start gap-2 px-3 py-2">
              <span className="min-w-0 flex-1">
                <Link
                  to="/webhooks/$webhookId"
                  params={{ webhookId: webhook.id }}
                  title={webhook.url}
                  className={`block truncate ${rowLink}`}
                >
                  {webhook.url.replace(/^https?:\/\//, '')}
                </Link>
                <span className="block text-xs text-ink-2">
                  {webhook.bot_ids.length === 0 ? 'Events of all agents' : 'Events of chosen agents'}
                </span>
              </span>
              <WebhookBadge of={webhook} health={webhook.health} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
