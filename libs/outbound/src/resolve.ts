// From a host name to all its addresses.
import dns from 'node:dns/promises';

/** All IPv4 and IPv6 addresses of a name; rejects when there are none. Tests pass one of their own. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** One question to one name server, asked at most twice of each: a whole look-up stays within a few seconds. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/**
 * Resolves a name that a customer chose, over DNS alone: hosts file, mDNS and search domains, which name machines of this
 * network, have no say. It also keeps such look-ups off libuv's four threads, where a few name servers that never answer
 * would stop every file and crypto call of the process. `servers` (`ip:port`) replaces the machine's own.
 */
export function createDnsResolve(
  options: { readonly servers?: readonly string[]; readonly queryTimeoutMs?: number } = {},
): Resolve {
  const { servers, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const resolver = new dns.Resolver({ timeout: queryTimeoutMs, tries: QUERY_TRIES });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const v4 = resolver.resolve4(host);
    const v6 = resolver.resolve6(host).catch(() => []); // most receivers have none, and v4 tells what is wrong
    const [first, second] = await Promise.allSettled([v4, v6]);
    const addresses = [first, second].flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    // One family that fails does not matter: whatever is connected to has been checked.
    return addresses.length > 0 ? addresses : v4;
  };
}

/** Resolves a name that the operator allowed, as any other program on the machine does: hosts file and search domains too. */
export const resolveLocally: Resolve = async (host) => {
  const found = await dns.lookup(host, { all: true });
  return found.map(({ address }) => address);
};
