// Display names of the three services.
import type { Service } from './clients.ts';

export const SERVICE_LABELS: Readonly<Record<Service, string>> = {
  'flow-builder': 'Flow builder',
  'voice-api': 'Voice API',
  notifications: 'Notifications',
};
