// The number of open alerts in the menu. Hidden from people who may not read alerts.
import { Badge } from '../ui/badge.tsx';
import { useAlerts } from './api.ts';

export function OpenAlertCount() {
  const lists = useAlerts('open');
  const count = lists.reduce((sum, { alerts }) => sum + alerts.length, 0);
  if (count === 0) return null;
  return (
    <span className="ml-auto">
      <Badge tone="bad">
        {count}
        {lists.some(({ hasNextPage }) => hasNextPage) && '+'}
        <span className="sr-only"> open</span>
      </Badge>
    </span>
  );
}
