// Alerts of the three services. Their endpoints differ only in the format of timestamps.
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';
import { isForbiddenError } from '../api/error.ts';
import { useAccess } from '../session/access.tsx';
import { useMayOpen } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import type { components as FlowSchemas } from '@parley/sdk/flow-builder';
import type { components as NotificationSchemas } from '@parley/sdk/notifications';
import type { components as VoiceSchemas } from '@parley/sdk/voice-api';

export type Alert =
  | FlowSchemas['schemas']['Alert']
  | VoiceSchemas['schemas']['Alert']
  | NotificationSchemas['schemas']['Alert'];
export const ALERT_STATUSES = ['open', 'acknowledged', 'resolved'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export interface AlertPage {
  readonly items: readonly Alert[];
  readonly next_cursor: string | null;
}

/** The largest page of the services. */
const PAGE_ALERTS = 100;
const COUNTED_EVERY_MS = 60_000;

const at = (id: string) => ({ params: { path: { id } } });
const query = (status: AlertStatus, cursor: string | undefined) => ({
  params: { query: { status, limit: PAGE_ALERTS, ...(cursor !== undefined && { cursor }) } },
});

const LIST: Readonly<
  Record<Service, (status: AlertStatus, cursor: string | undefined) => Promise<AlertPage>>
> = {
  'flow-builder': (...asked) => readBody(flowBuilder.GET('/v1/alerts', query(...asked))),
  'voice-api': (...asked) => readData(voiceApi.GET('/v1/alerts', query(...asked))),
  notifications: (...asked) => readBody(notifications.GET('/v1/alerts', query(...asked))),
};

const ACKNOWLEDGE: Readonly<Record<Service, (id: string) => Promise<Alert>>> = {
  'flow-builder': (id) => readBody(flowBuilder.PUT('/v1/alerts/{id}/acknowledgement', at(id))),
  'voice-api': (id) => readData(voiceApi.PUT('/v1/alerts/{id}/acknowledgement', at(id))),
  notifications: (id) => readBody(notifications.PUT('/v1/alerts/{id}/acknowledgement', at(id))),
};

/** Stops polling with a key that lacks the scope. */
const isAllowed = ({ state }: { state: { error: Error | null } }) => !isForbiddenError(state.error);

const alertsQuery = (service: Service, status: AlertStatus) =>
  infiniteQueryOptions({
    queryKey: ['alerts', service, status],
    queryFn: ({ pageParam }) => LIST[service](status, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }: AlertPage) => next ?? undefined,
    refetchInterval: (asked) => isAllowed(asked) && COUNTED_EVERY_MS,
    refetchOnWindowFocus: isAllowed,
  });

function useServiceAlerts(service: Service, status: AlertStatus) {
  const isAllowed = useMayOpen()({ service, scope: 'admin' });
  const signedIn = useAccess()(service);
  const access = signedIn === 'signed_in' && isAllowed === false ? ('not_allowed' as const) : signedIn;
  const { data, error, isLoading, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      ...alertsQuery(service, status),
      enabled: access === 'signed_in' && isAllowed === true,
    });
  const alerts = data?.pages.flatMap(({ items }) => items) ?? [];
  return {
    service,
    access,
    alerts,
    error,
    isLoading,
    hasNextPage,
    isFetchingNextPage,
    again: () => void refetch(),
    showMore: () => void fetchNextPage(),
  };
}
export type ServiceAlerts = ReturnType<typeof useServiceAlerts>;

/** One query per service, so that a service that fails does not hide the alerts of the others. */
export function useAlerts(status: AlertStatus): readonly ServiceAlerts[] {
  const flows = useServiceAlerts('flow-builder', status);
  const voice = useServiceAlerts('voice-api', status);
  const messages = useServiceAlerts('notifications', status);
  return [flows, voice, messages];
}

export const useAcknowledge = () =>
  useAction(({ service, id }: { service: Service; id: string }) => ACKNOWLEDGE[service](id), {
    says: ({ title }) => `Acknowledged: ${title}`,
    reloads: ['alerts'],
  });
