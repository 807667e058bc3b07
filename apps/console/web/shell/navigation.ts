// The pages in the menu, in order. Search (Ctrl K) finds them too.
import type { Service } from '../api/clients.ts';
import type { Scope } from '../session/scopes.tsx';
import type { IconName } from '../ui/icon.tsx';

export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The page needs a credential for it. Absent: the page shows all services. */
  readonly service?: Service;
  /** The scope without which a key may not open the page. */
  readonly scope?: Scope;
}

/** The first group has no heading. */
export const PLACES: readonly { readonly group: string; readonly places: readonly Place[] }[] = [
  {
    group: '',
    places: [
      { to: '/', label: 'Home', icon: 'home' },
      { to: '/agents', label: 'Agents', icon: 'agents', service: 'voice-api' },
      { to: '/flows', label: 'Flows', icon: 'flows', service: 'flow-builder' },
      { to: '/people', label: 'People', icon: 'people' },
      { to: '/conversations', label: 'Conversations', icon: 'conversations', service: 'voice-api' },
      { to: '/notifications', label: 'Notifications', icon: 'notifications', service: 'notifications' },
    ],
  },
  {
    group: 'Insights',
    places: [
      { to: '/analytics', label: 'Analytics', icon: 'analytics', service: 'voice-api' },
      { to: '/alerts', label: 'Alerts', icon: 'warning', scope: 'admin' },
      { to: '/exports', label: 'Exports', icon: 'download', service: 'voice-api' },
    ],
  },
  {
    group: 'Developers',
    places: [
      { to: '/keys', label: 'API keys', icon: 'keys', scope: 'admin' },
      { to: '/webhooks', label: 'Webhooks', icon: 'webhooks', service: 'voice-api' },
      { to: '/applications', label: 'Applications', icon: 'people', service: 'voice-api' },
      { to: '/deliveries', label: 'Deliveries', icon: 'deliveries', service: 'voice-api' },
      { to: '/organization/audit-log', label: 'Audit log', icon: 'log', scope: 'admin' },
    ],
  },
  {
    group: 'Settings',
    places: [
      { to: '/models', label: 'Models', icon: 'models', service: 'flow-builder', scope: 'admin' },
      { to: '/organization/retention', label: 'Retention', icon: 'log', service: 'voice-api' },
      { to: '/organization', label: 'Organisation', icon: 'organization' },
    ],
  },
];

/** Pages whose address begins that of others. */
export const isExact = (to: string): boolean => to === '/' || to === '/organization';
