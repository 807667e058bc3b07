// Search of Ctrl K: pages of the console, and resources of the services by id or text.
import { queryOptions } from '@tanstack/react-query';
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';
import type { IconName } from '../ui/icon.tsx';
import { toHandle } from '../people/person.rules.ts';
import { PLACES, type Place } from './navigation.ts';

export interface SearchResult {
  /** A path of the console. */
  readonly to: string;
  readonly label: string;
  readonly kind: string;
  readonly icon: IconName;
}

/** Shorter queries match nearly everything. */
const LETTERS_MIN = 2;
const SHOWN_OF_A_KIND = 5;

/** Matches that need no request. Pure. */
export function findLocally(words: string, mayOpen: (place: Place) => boolean): SearchResult[] {
  const wanted = words.trim();
  const places = PLACES.flatMap(({ group, places: all }) =>
    all.filter(mayOpen).map((place) => ({ ...place, kind: group || 'Page' })),
  ).filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  return [...places, ...findIds(wanted)];
}

/** The prefix of an id names its kind. */
function findIds(text: string): SearchResult[] {
  const [id, prefix] = /^(ntf|wh)_[0-9a-z]{10,40}$/.exec(text) ?? [];
  if (id === undefined) return [];
  return prefix === 'ntf'
    ? [{ to: `/notifications/sent/${id}`, label: id, kind: 'Notification', icon: 'notifications' }]
    : [{ to: `/webhooks/${id}`, label: id, kind: 'Webhook', icon: 'webhooks' }];
}

/** The page of a person, for a phone number or an e-mail address. Pure. */
export function findPerson(words: string): SearchResult[] {
  const who = words.trim();
  if (who === '' || toHandle(who).kind === 'id') return [];
  return [{ to: `/people?who=${encodeURIComponent(who)}`, label: who, kind: 'Person', icon: 'people' }];
}

/** Matches of the services. A service that fails is skipped: its own page shows the error. */
export const searchQuery = (words: string, services: readonly Service[]) =>
  queryOptions({
    queryKey: ['found', words, services],
    enabled: words.trim().length >= LETTERS_MIN,
    queryFn: async (): Promise<SearchResult[]> => {
      const query = { q: words.trim(), limit: SHOWN_OF_A_KIND };
      const ifSignedIn = <Page extends { readonly items: readonly object[] }>(
        service: Service,
        ask: () => Promise<Page>,
      ) => (services.includes(service) ? ask() : Promise.reject(new Error('not signed in')));
      const delivery = /^dlv_[0-9a-z]{10,40}$/.exec(query.q)?.[0];
      const event = /^evt_[0-9a-z]{10,40}$/.exec(query.q)?.[0];
      const [agents, flows, conversations, sends, deliveries] = await Promise.allSettled([
        ifSignedIn('voice-api', () => readData(voiceApi.GET('/v1/bots', { params: { query } }))),
        ifSignedIn('flow-builder', () => readBody(flowBuilder.GET('/v1/flows', { params: { query } }))),
        ifSignedIn('voice-api', () => readData(voiceApi.GET('/v1/conversations', { params: { query } }))),
        ifSignedIn('notifications', () => readBody(notifications.GET('/v1/notify', { params: { query } }))),
        ifSignedIn('voice-api', async () => {
          if (event !== undefined)
            return readData(voiceApi.GET('/v1/deliveries', { params: { query: { event_id: event } } }));
          if (delivery === undefined) return { items: [] };
          const params = { path: { delivery_id: delivery } };
          return { items: [await readData(voiceApi.GET('/v1/deliveries/{delivery_id}', { params }))] };
        }),
      ]);
      return [
        ...(agents.status === 'fulfilled' ? agents.value.items : []).map(({ id, name, status }) => ({
          to: `/agents/${encodeURIComponent(id)}`,
          label: name,
          kind: `Agent, ${status}`,
          icon: 'agents' as const,
        })),
        ...(flows.status === 'fulfilled' ? flows.value.items : []).map(({ flow_id, name }) => ({
          to: `/flows/${encodeURIComponent(flow_id)}`,
          label: name,
          kind: `Flow ${flow_id}`,
          icon: 'flows' as const,
        })),
        ...(conversations.status === 'fulfilled' ? conversations.value.items : []).map(
          ({ id, from, status }) => ({
            to: `/conversations/${encodeURIComponent(id)}`,
            label: from === null ? id : `${from} · ${id}`,
            kind: `Conversation, ${status.replace('_', ' ')}`,
            icon: 'conversations' as const,
          }),
        ),
        ...(sends.status === 'fulfilled' ? sends.value.items : []).map(({ notification_id, subject }) => ({
          to: `/notifications/sent/${notification_id}`,
          label: subject,
          kind: `Notification ${notification_id}`,
          icon: 'notifications' as const,
        })),
        ...(deliveries.status === 'fulfilled' ? deliveries.value.items : []).flatMap(
          ({ id, webhook_id, event, status }) =>
            webhook_id === null
              ? []
              : {
                  to: `/webhooks/${webhook_id}/deliveries/${id}`,
                  label: `${event} · ${id}`,
                  kind: `Delivery, ${status}`,
                  icon: 'deliveries' as const,
                },
        ),
      ];
    },
  });
