// What the three services are called here, for people.
import type { Service } from './clients.ts';

export const SERVICE_LABELS: Readonly<Record<Service, string>> = {
  'flow-builder': 'Flow builder',
  'voice-api': 'Voice API',
  notifications: 'Notifications',
};
