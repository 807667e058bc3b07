// What needs a person now: open alerts, webhooks that fail, and conversations that failed or hang.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAlerts } from '../alerts/api.ts';
import { mergeAlerts } from '../alerts/merge.rules.ts';
import { isForbiddenError } from '../api/error.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { conversationsQuery } from '../filters/conversation-query.ts';
import { useAccess } from '../session/access.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { getPeriodStart } from '../ui/filters.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Time, useNowMs, type Moment } from '../ui/time.tsx';
import { webhooksQuery } from '../webhooks/api.ts';
import { describeOutcome, isFailing } from '../webhooks/status.tsx';

interface Item {
  readonly key: string;
  readonly tone: Tone;
  readonly state: string;
  readonly link: ReactNode;
  readonly detail: ReactNode;
  readonly at: Moment | null;
}

/** Of a kind; its page has the rest. */
const SHOWN_OF_A_KIND = 5;
/** A conversation that is still running after this time probably hangs. */
const HANGS_AFTER_MS = 2 * 3_600_000;

/** What one service was asked about. */
interface Part {
  /** Says that there is nothing: "no open alerts". */
  readonly clear: string;
  readonly items: readonly Item[];
  readonly isLoading: boolean;
  /** Null also for a session that was not asked. */
  readonly error: Error | null;
  readonly isAsked: boolean;
}

export function Attention() {
  const parts: readonly Part[] = [useAlertItems(), useWebhookItems(), useConversationItems()];
  const items = parts.flatMap((part) => part.items);
  const isLoading = parts.some((part) => part.isLoading);
  const checked = parts.filter(({ isAsked, error }) => isAsked && error === null);
  const failed = parts.filter(({ error }) => error !== null && !isForbiddenError(error));
  return (
    <Section title="Needs attention">
      {failed.map(({ clear, error }) => (
        <Problem key={clear} error={error} />
      ))}
      {isLoading && items.length === 0 && <Loading subject="alerts, webhooks and conversations" />}
      {!isLoading && items.length === 0 && checked.length > 0 && (
        <p className="flex items-center gap-2.5 rounded-lg bg-good-soft px-4 py-3">
          <Icon name="check" className="text-good" />
          All clear: {checked.map(({ clear }) => clear).join(', ')}.
        </p>
      )}
      {items.length > 0 && (
        <ul aria-label="Needs attention" className="divide-y divide-line rounded-lg border border-line">
          {items.map(({ key, tone, state, link, detail, at }) => (
            <li key={key} className="flex items-start gap-3 px-3 py-2">
              <span className="w-20 shrink-0">
                <Badge tone={tone}>{state}</Badge>
              </span>
              <span className="min-w-0 flex-1">
                <span className="block truncate">{link}</span>
                <span className="block text-xs text-ink-2 wrap-anywhere">{detail}</span>
              </span>
              <span className="text-xs text-ink-2">{at !== null && <Time at={at} />}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function useAlertItems(): Part {
  const lists = useAlerts('open');
  const items = mergeAlerts(lists)
    .filter(({ service, alert }) => !(service === 'voice-api' && alert.kind.startsWith('webhook_')))
    .slice(0, SHOWN_OF_A_KIND)
    .map(({ service, alert }): Item => ({
      key: `${service} ${alert.id}`,
      tone: alert.severity === 'error' ? 'bad' : 'warn',
      state: 'alert',
      link: (
        <Link to="/alerts" className={rowLink}>
          {alert.title}
        </Link>
      ),
      detail: `${SERVICE_LABELS[service]}: ${alert.message}`,
      at: alert.opened_at,
    }));
  const asked = lists.filter(({ access }) => access === 'signed_in');
  const errors = asked.flatMap(({ error }) => (error === null ? [] : [error]));
  return {
    clear: 'no open alerts',
    items,
    isLoading: lists.some((list) => list.isLoading),
    error: errors.find((error) => !isForbiddenError(error)) ?? errors[0] ?? null,
    isAsked: asked.length > 0,
  };
}

function useWebhookItems(): Part {
  const isHere = useAccess()('voice-api') === 'signed_in';
  const list = useQuery({ ...webhooksQuery({ health: 'true' }), enabled: isHere });
  const webhooks = list.data?.items ?? [];
  const items = webhooks
    .filter((webhook) => isFailing(webhook, webhook.health) || webhook.disabled_reason !== null)
    .slice(0, SHOWN_OF_A_KIND)
    .map((webhook): Item => {
      const error = webhook.health?.last_error;
      return {
        key: webhook.id,
        tone: 'bad',
        state: webhook.status === 'active' ? 'failing' : 'disabled',
        link: (
          <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }} className={rowLink}>
            {webhook.url}
          </Link>
        ),
        detail: webhook.disabled_reason ?? (error ? describeOutcome(error) || error.message : ''),
        at: error?.at ?? null,
      };
    });
  return {
    clear: 'no failing webhooks',
    items,
    isLoading: list.isLoading,
    error: list.error,
    isAsked: isHere,
  };
}

function useConversationItems(): Part {
  const isHere = useAccess()('voice-api') === 'signed_in';
  const nowMs = useNowMs();
  const limit = SHOWN_OF_A_KIND;
  const options = { enabled: isHere, placeholderData: <Data,>(before: Data) => before };
  const failed = useQuery({
    ...conversationsQuery({ status: ['failed'], started_after: getPeriodStart('24h', nowMs), limit }),
    ...options,
  });
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000;
  const started_before = new Date(minuteMs - HANGS_AFTER_MS).toISOString();
  const hanging = useQuery({
    ...conversationsQuery({ status: ['in_progress'], started_before, limit }),
    ...options,
  });
  const toItem = (state: string, tone: Tone) => (one: ListedOne) => ({
    key: one.id,
    tone,
    state,
    link: (
      <Link to="/conversations/$conversationId" params={{ conversationId: one.id }} className={rowLink}>
        {one.from ?? one.id}
      </Link>
    ),
    detail: one.error?.message ?? (one.end_reason ?? 'It has not ended').replaceAll('_', ' '),
    at: one.started_at ?? one.created_at,
  });
  return {
    clear: 'no failed conversations in the last 24 hours',
    items: [
      ...(failed.data?.items ?? []).map(toItem('failed', 'bad')),
      ...(hanging.data?.items ?? []).map(toItem('hanging', 'warn')),
    ],
    isLoading: failed.isLoading,
    error: failed.error ?? hanging.error,
    isAsked: isHere,
  };
}

type ListedOne = Awaited<
  ReturnType<NonNullable<ReturnType<typeof conversationsQuery>['queryFn']>>
>['items'][number];
