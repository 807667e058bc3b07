// Who did something: the name of the key instead of its id, where the session may read keys.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readBody, readData, flowBuilder, notifications, voiceApi, type Service } from '../api/clients.ts';
import { useAccess } from '../session/access.tsx';
import { usePermissions } from '../session/scopes.tsx';
import { rowLink } from '../ui/link.ts';

const NAMED_MAX = 100;
const query = { params: { query: { limit: NAMED_MAX } } };

type Named = readonly { readonly id: string; readonly name: string }[];

/** Names of keys, for administrators. */
const KEYS: Readonly<Record<Service, () => Promise<Named>>> = {
  'flow-builder': async () => (await readBody(flowBuilder.GET('/v1/api-keys', query))).items,
  'voice-api': async () => (await readData(voiceApi.GET('/v1/api-keys', query))).items,
  notifications: async () => (await readBody(notifications.GET('/v1/api-keys', query))).items,
};
/** A webhook is called by its address. */
async function listWebhooks(): Promise<Named> {
  const { items } = await readData(voiceApi.GET('/v1/webhooks', query));
  return items.map(({ id, url }) => ({ id, name: url.replace(/^https?:\/\//, '') }));
}

const NAMES_STALE_MS = 60_000;

/** A session that may not read a list has no names of it. */
const namesQuery = (service: Service, isAdmin: boolean) =>
  queryOptions({
    queryKey: ['names', service, isAdmin],
    queryFn: async () => {
      const all = [...(isAdmin ? [KEYS[service]] : []), ...(service === 'voice-api' ? [listWebhooks] : [])];
      const lists = await Promise.allSettled(all.map(async (list) => list()));
      const named = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
      return new Map(named.map(({ id, name }) => [id, name] as const));
    },
    staleTime: NAMES_STALE_MS,
  });

/** Names of the newest keys and webhooks by id. */
export function useNames(service: Service): ReadonlyMap<string, string> {
  const { can } = usePermissions(service);
  const names = namesQuery(service, can('admin'));
  const isSignedIn = useAccess()(service) === 'signed_in';
  return useQuery({ ...names, enabled: isSignedIn }).data ?? new Map<string, string>();
}

/** Longer ids are cut; the tooltip has all of it. */
const SHOWN_CHARACTERS = 12;

export const shortId = (id: string): string =>
  id.length <= SHOWN_CHARACTERS ? id : `${id.slice(0, SHOWN_CHARACTERS)}…`;

interface ActorProps {
  readonly service: Service;
  readonly id: string;
}

/** Links to everything that the actor did. */
export function Actor({ service, id }: ActorProps) {
  const name = useNames(service).get(id);
  return (
    <Link
      to="/organization/audit-log"
      search={{ service, actor: id }}
      title={name === undefined ? id : `Key ${id}`}
      className={`truncate ${rowLink}`}
    >
      {name ?? shortId(id)}
    </Link>
  );
}
