// Merges the alerts of the services, newest first. Pure.
import type { Service } from '../api/clients.ts';
import { toDate } from '../ui/time.tsx';
import type { Alert, ServiceAlerts } from './api.ts';

export interface ListedAlert {
  readonly service: Service;
  readonly alert: Alert;
}

type List = Pick<ServiceAlerts, 'service' | 'alerts' | 'hasNextPage'>;

const openedMs = ({ opened_at: at }: Alert): number => toDate(at).getTime();

/**
 * Stops at the oldest alert of a list that has more pages: an older one could belong in between.
 */
export function mergeAlerts(lists: readonly List[]): ListedAlert[] {
  const ends = lists.map(({ hasNextPage, alerts }) => (hasNextPage ? openedMs(alerts.at(-1)!) : -Infinity));
  const endMs = Math.max(...ends);
  return lists
    .flatMap(({ service, alerts }) => alerts.map((alert) => ({ service, alert })))
    .filter(({ alert }) => openedMs(alert) >= endMs)
    .sort((a, b) => openedMs(b.alert) - openedMs(a.alert));
}

/** The lists whose next page continues where the merged list ends. */
export function findListsToExtend<L extends List>(lists: readonly L[]): L[] {
  const more = lists.filter(({ hasNextPage }) => hasNextPage);
  const endMs = Math.max(...more.map(({ alerts }) => openedMs(alerts.at(-1)!)));
  return more.filter(({ alerts }) => openedMs(alerts.at(-1)!) === endMs);
}
