// What the session may do at a service. Pages offer nothing that the service would refuse.
import { useQuery } from '@tanstack/react-query';
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';
import { sessionQuery } from './session.ts';

export type Scope = 'read' | 'write' | 'delete' | 'admin' | 'pii';

interface OwnKey {
  readonly scopes: readonly Scope[];
  /** Keys of the voice API: bound to these bots; empty or absent: not bound. */
  readonly bot_ids?: readonly string[];
}

const OWN_KEY: Readonly<Record<Service, () => Promise<OwnKey>>> = {
  'flow-builder': () => readBody(flowBuilder.GET('/v1/api-keys/me')),
  'voice-api': () => readData(voiceApi.GET('/v1/api-keys/me')),
  notifications: () => readBody(notifications.GET('/v1/api-keys/me')),
};

export interface Permissions {
  readonly can: (scope: Scope) => boolean;
  /** The key reaches only some bots, so it cannot create one. */
  readonly isBound: boolean;
}

/**
 * The scope `admin` implies the others. Nothing is allowed while the key is read. When it cannot be
 * read, everything is: the service refuses what it must. A person of the identity provider has no
 * key to read.
 */
export function usePermissions(service: Service): Permissions {
  const { data: session } = useQuery(sessionQuery);
  const hasKey = session?.with === 'keys' && session.services.includes(service);
  const key = useQuery({
    queryKey: ['own key', service],
    queryFn: OWN_KEY[service],
    staleTime: Infinity,
    retry: false,
    enabled: hasKey,
  });
  const scopes = key.data?.scopes;
  return {
    can: (scope) =>
      scopes === undefined
        ? !key.isLoading
        : scopes.includes(scope) || (scope !== 'pii' && scopes.includes('admin')),
    isBound: (key.data?.bot_ids ?? []).length > 0,
  };
}
