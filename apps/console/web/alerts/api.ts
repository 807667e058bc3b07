// Alerts of the three services. Their endpoints differ only in the format of timestamps.
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, dataOf, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';
import { ApiError } from '../api/error.ts';
import { useAccess } from '../shell/access.tsx';
import { notice } from '../ui/notice.tsx';
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
  'flow-builder': (...asked) => bodyOf(flowBuilder.GET('/v1/alerts', query(...asked))),
  'voice-api': (...asked) => dataOf(voiceApi.GET('/v1/alerts', query(...asked))),
  notifications: (...asked) => bodyOf(notifications.GET('/v1/alerts', query(...asked))),
};

const ACKNOWLEDGE: Readonly<Record<Service, (id: string) => Promise<Alert>>> = {
  'flow-builder': (id) => bodyOf(flowBuilder.PUT('/v1/alerts/{id}/acknowledgement', at(id))),
  'voice-api': (id) => dataOf(voiceApi.PUT('/v1/alerts/{id}/acknowledgement', at(id))),
  notifications: (id) => bodyOf(notifications.PUT('/v1/alerts/{id}/acknowledgement', at(id))),
};

export const mayNotRead = (error: Error | null): boolean => error instanceof ApiError && error.status === 403;

/** Stops polling with a key that lacks the scope. */
const whereAllowed = ({ state }: { state: { error: Error | null } }) => !mayNotRead(state.error);

const alertsQuery = (service: Service, status: AlertStatus) =>
  infiniteQueryOptions({
    queryKey: ['alerts', service, status],
    queryFn: ({ pageParam }) => LIST[service](status, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }: AlertPage) => next ?? undefined,
    refetchInterval: (asked) => whereAllowed(asked) && COUNTED_EVERY_MS,
    refetchOnWindowFocus: whereAllowed,
  });

function useAlertsIn(service: Service, status: AlertStatus) {
  const access = useAccess()(service);
  const { data, error, isLoading, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({ ...alertsQuery(service, status), enabled: access === 'signed_in' });
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
export type AlertsIn = ReturnType<typeof useAlertsIn>;

/** One query per service, so that a service that fails does not hide the alerts of the others. */
export function useAlerts(status: AlertStatus): readonly AlertsIn[] {
  const flows = useAlertsIn('flow-builder', status);
  const voice = useAlertsIn('voice-api', status);
  const messages = useAlertsIn('notifications', status);
  return [flows, voice, messages];
}

export function useAcknowledge() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ service, id }: { service: Service; id: string }) => ACKNOWLEDGE[service](id),
    onSuccess: async ({ title }) => {
      await queryClient.invalidateQueries({ queryKey: ['alerts'] });
      notice(`Acknowledged: ${title}`);
    },
  });
}
