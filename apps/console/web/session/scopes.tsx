// What the session may do at a service. Pages offer nothing that the service would refuse.
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';
import { sessionQuery, type SCOPES } from './session.ts';

export type Scope = (typeof SCOPES)[number];

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

const ownKeyQuery = (service: Service) =>
  queryOptions({
    queryKey: ['own key', service],
    queryFn: OWN_KEY[service],
    staleTime: Infinity,
    retry: false,
    retryOnMount: false, // a page that waits for it would close and open again and again
  });

/**
 * Without a service, everything is allowed. The scope `admin` implies the others but `pii`. Nothing
 * is allowed while the key is read. When it cannot be read, everything is: the service refuses what
 * it must. The scopes of people of the identity provider come with the session.
 */
export function usePermissions(service: Service | undefined): Permissions {
  const { data: session } = useQuery(sessionQuery);
  const hasKey = service !== undefined && session?.with === 'keys' && session.services.includes(service);
  const key = useQuery({ ...ownKeyQuery(service ?? 'voice-api'), enabled: hasKey });
  const scopes = hasKey ? key.data?.scopes : service && session?.scopes[service];
  return {
    can: (scope) => (scopes === undefined ? !(hasKey && key.isLoading) : allows(scopes, scope)),
    isBound: hasKey && (key.data?.bot_ids ?? []).length > 0,
  };
}

const allows = (scopes: readonly Scope[], scope: Scope): boolean =>
  scopes.includes(scope) || (scope !== 'pii' && scopes.includes('admin'));

interface MayProps {
  readonly service: Service;
  readonly scope: Scope;
  readonly children: ReactNode;
}

/** Shown only to sessions that have the scope. */
export const May = ({ service, scope, children }: MayProps) =>
  usePermissions(service).can(scope) ? children : null;

/**
 * Whether the session may open a page: it has the scope at the page's service, or at any service
 * when the page shows all. Undefined while the keys are read.
 */
export function useMayOpen() {
  const { data: session } = useQuery(sessionQuery);
  const services = session?.with === 'keys' ? session.services : [];
  const keys = useQueries({ queries: services.map((service) => ownKeyQuery(service)) });
  return ({ service, scope }: { readonly service?: Service; readonly scope?: Scope }) => {
    if (session === undefined) return undefined;
    if (scope === undefined) return true;
    const known = Object.entries(session.scopes).filter(([at]) => service === undefined || at === service);
    if (known.length > 0) return known.some(([, scopes]) => allows(scopes, scope));
    const asked = keys.filter((_, index) => service === undefined || services[index] === service);
    if (asked.length === 0) return true;
    if (
      asked.some(({ data, errorUpdateCount }) => errorUpdateCount > 0 || (data && allows(data.scopes, scope)))
    )
      return true;
    return asked.some(({ isLoading }) => isLoading) ? undefined : false;
  };
}
