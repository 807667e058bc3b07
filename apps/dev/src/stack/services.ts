// The three services as the development stack knows them.
import { SERVICES, type ServiceName } from '@parley/server/runtime';

export { SERVICES, type ServiceName };

interface ServiceFacts {
  /** The prefix of its API keys (docs/platform.md#credentials). */
  readonly product: 'fb' | 'va' | 'nt';
  /** The name of its database (docs/platform.md#services-and-queues). */
  readonly database: string;
  /** The variable that names a real server in place of the embedded one. */
  readonly urlVariable: string;
  /** What its base URL ends in. */
  readonly basePath: '' | '/v1';
}

export const SERVICE_FACTS: Readonly<Record<ServiceName, ServiceFacts>> = {
  'flow-builder': {
    product: 'fb',
    database: 'flow_builder',
    urlVariable: 'DATABASE_URL_FLOW_BUILDER',
    basePath: '',
  },
  'voice-api': {
    product: 'va',
    database: 'voice_api',
    urlVariable: 'DATABASE_URL_VOICE_API',
    basePath: '/v1',
  },
  notifications: {
    product: 'nt',
    database: 'notifications',
    urlVariable: 'DATABASE_URL_NOTIFICATIONS',
    basePath: '',
  },
};

/** The folder with the service's `schema.prisma` and `migrations/`. */
export function schemaDir(root: string, service: ServiceName): string {
  return `${root}/prisma/${service}`;
}

/** A record with one value for each service. */
export function forEachService<T>(services: readonly ServiceName[], make: (service: ServiceName) => T) {
  return Object.fromEntries(services.map((service) => [service, make(service)])) as Record<ServiceName, T>;
}
