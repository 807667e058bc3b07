// The pages in the menu, in order. Search (Ctrl K) finds them too.
import type { Service } from '../api/clients.ts';
import type { IconName } from '../ui/icon.tsx';

export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The page needs a credential for it. Absent: the page shows all services. */
  readonly service?: Service;
}

export const PLACES: readonly { readonly group: string; readonly places: readonly Place[] }[] = [
  {
    group: 'Build',
    places: [{ to: '/flows', label: 'Flows', icon: 'flows', service: 'flow-builder' }],
  },
  {
    group: 'Observe',
    places: [
      { to: '/conversations', label: 'Conversations', icon: 'conversations', service: 'voice-api' },
      { to: '/exports', label: 'Exports', icon: 'download', service: 'voice-api' },
      { to: '/analytics', label: 'Analytics', icon: 'analytics', service: 'voice-api' },
      { to: '/alerts', label: 'Alerts', icon: 'warning' },
    ],
  },
  {
    group: 'Deliver',
    places: [
      { to: '/webhooks', label: 'Webhooks', icon: 'webhooks', service: 'voice-api' },
      { to: '/deliveries', label: 'Deliveries', icon: 'deliveries', service: 'voice-api' },
      { to: '/notifications', label: 'Notifications', icon: 'notifications', service: 'notifications' },
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
