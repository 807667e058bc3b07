// The places of the console, in the order of the menu; Ctrl K finds them too.
import type { IconName } from '../ui/icon.tsx';

export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

export const PLACES: readonly { readonly group: string; readonly places: readonly Place[] }[] = [
  {
    group: 'Build',
    places: [{ to: '/flows', label: 'Flows', icon: 'flows' }],
  },
  {
    group: 'Observe',
    places: [
      { to: '/conversations', label: 'Conversations', icon: 'conversations' },
      { to: '/analytics', label: 'Analytics', icon: 'analytics' },
    ],
  },
  {
    group: 'Deliver',
    places: [
      { to: '/webhooks', label: 'Webhooks', icon: 'webhooks' },
      { to: '/notifications', label: 'Notifications', icon: 'notifications' },
    ],
  },
  {
    group: 'Manage',
    places: [
      { to: '/keys', label: 'API keys', icon: 'keys' },
      { to: '/organization', label: 'Organisation', icon: 'organization' },
    ],
  },
];
