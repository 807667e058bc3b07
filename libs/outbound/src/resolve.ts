// Resolves a host name to all its addresses.
import dns from 'node:dns/promises';

/** All IPv4 and IPv6 addresses of a name; rejects when there are none. Tests pass their own. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** One query to one name server, at most two for each: a look-up stays within a few seconds. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/**
 * Resolves a customer's name by DNS only: hosts file, mDNS and search domains name machines of this
 * network. It also spares libuv's four threads, where a few silent name servers would block every
 * file and crypto call. `servers` (`ip:port`) replaces the machine's own.
 */
export function createDnsResolve(
  options: { readonly servers?: readonly string[]; readonly queryTimeoutMs?: number } = {},
): Resolve {
  const { servers, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const resolver = new dns.Resolver({ timeout: queryTimeoutMs, tries: QUERY_TRIES });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const v4 = resolver.resolve4(host);
    // most receivers have none, and v4 shows the problem
    const v6 = resolver.resolve6(host).catch(() => []);
    const [first, second] = await Promise.allSettled([v4, v6]);
    const addresses = [first, second].flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    // One failing family does not matter: every address is checked before connecting.
    return addresses.length > 0 ? addresses : v4;
  };
}

/**
 * Resolves a name that the operator allowed, like other programs: with hosts file and search
 * domains.
 */
export const resolveLocally: Resolve = async (host) => {
  const found = await dns.lookup(host, { all: true });
  return found.map(({ address }) => address);
};
