// The only place that opens connections to customers' addresses. It checks every address of the
// host while connecting, and connects to a checked one, which defeats DNS rebinding. got, undici
// and node:http2 get their sockets here.
import net from 'node:net';
import tls from 'node:tls';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { within, type Log } from '@parley/server/runtime';
import { toBareHost, checkAddress, isExempt, type AddressPolicy } from './address-policy.ts';
import { BLOCKED, OutboundError } from './failure.ts';
import { createDnsResolve, resolveLocally, type Resolve } from './resolve.ts';

/**
 * DNS, TCP and TLS together. Shorter than the 15 s of a delivery, to tell a dead host from a slow
 * one.
 */
const CONNECT_TIMEOUT_MS = 10_000;
const RESOLVE_TIMEOUT_MS = 5_000;
/** Before the next address of the host is tried. Node's 250 ms is too short for a far host. */
const ATTEMPT_TIMEOUT_MS = 2_000;
/** A name may have thousands of addresses: all are checked, the first few are tried. */
const ADDRESSES_TRIED_MAX = 4;
/** Detects that an idle peer is gone. */
const TCP_KEEP_ALIVE_MS = 60_000;

export interface GuardOptions {
  readonly policy: AddressPolicy;
  readonly log: Log;
  /** Replaces DNS and the machine's own resolver; for tests. */
  readonly resolve?: Resolve | undefined;
  /**
   * Trusted certificate authorities (PEM) instead of Node's own. NODE_EXTRA_CA_CERTS adds some for
   * the whole process.
   */
  readonly ca?: string | readonly string[] | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly resolveTimeoutMs?: number | undefined;
}

export interface Target {
  readonly secure: boolean;
  /** A name or an address, with or without brackets. */
  readonly host: string;
  readonly port: number;
  /** ALPN, best first. Default: HTTP/1.1. */
  readonly protocols?: readonly string[];
}

export interface Guard {
  /**
   * A connecting socket: `secureConnect` (`connect` without TLS) or `error` follows. Synchronous,
   * so that agents can count it against their limits.
   */
  open(target: Target): net.Socket;
  /** The same, awaited; rejects with what `toFailure` understands. */
  connected(target: Target): Promise<net.Socket>;
  /** Ends sockets that are still connecting. */
  close(): void;
}

export function createGuard(options: GuardOptions): Guard {
  const {
    policy,
    log,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    resolveTimeoutMs = RESOLVE_TIMEOUT_MS,
  } = options;
  const resolveOverDns = options.resolve ?? createDnsResolve();
  const resolveLifted = options.resolve ?? resolveLocally;
  // Created once: reading the authorities for every connection costs more than the handshake.
  const secureContext = tls.createSecureContext(
    options.ca === undefined ? {} : { ca: options.ca as string | string[] },
  );

  const connecting = new Set<net.Socket>();

  function blocked(host: string, address: string, range: string): OutboundError {
    log.warn({ host, address, range }, 'outbound.blocked');
    return new OutboundError('blocked_address', BLOCKED, { host, address, range });
  }

  /** All checked addresses of the host; throws when one is refused. */
  async function resolveChecked(host: string): Promise<LookupAddress[]> {
    const lifted = isExempt(host, policy);
    const addresses = await resolveWithin(
      resolveTimeoutMs,
      host,
      (lifted ? resolveLifted : resolveOverDns)(host),
    );
    for (const address of lifted ? [] : addresses) {
      const check = checkAddress(address, policy);
      if (!check.ok) throw blocked(host, address, check.range);
    }
    return addresses.slice(0, ADDRESSES_TRIED_MAX).map((address) => ({ address, family: net.isIP(address) }));
  }

  /** Node calls it only for names and connects to its result: this pins the checked address. */
  function lookup(
    host: string,
    { all }: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void {
    resolveChecked(host).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error: Error) => callback(error, ''),
    );
  }

  function open(target: Target): net.Socket {
    const host = toBareHost(target.host);
    const literal = net.isIP(host) !== 0;
    const check = literal ? checkAddress(host, policy) : { ok: true as const };
    if (!check.ok) return createFailedSocket(blocked(host, host, check.range));
    const address = {
      host,
      port: target.port,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    };
    const socket = target.secure
      ? tls.connect({
          ...address,
          secureContext,
          // an address is no server name (RFC 6066 §3); its certificate is still checked
          servername: literal ? '' : host,
          // explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot disable it
          rejectUnauthorized: true,
          ALPNProtocols: [...(target.protocols ?? ['http/1.1'])],
        })
      : net.connect(address);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    connecting.add(socket);
    limitConnecting(socket, target.secure ? 'secureConnect' : 'connect', connectTimeoutMs, () =>
      connecting.delete(socket),
    );
    return socket;
  }

  return {
    open,
    close: () => {
      for (const socket of connecting) socket.destroy();
    },
    connected: (target) =>
      new Promise((resolve, reject) => {
        const socket = open(target);
        socket.once('error', reject);
        socket.once(target.secure ? 'secureConnect' : 'connect', () => {
          socket.off('error', reject);
          resolve(socket);
        });
      }),
  };
}

/** A socket that only fails, after its caller had time to listen. */
function createFailedSocket(error: Error): net.Socket {
  const socket = new net.Socket();
  setImmediate(() => socket.destroy(error));
  return socket;
}

function limitConnecting(
  socket: net.Socket,
  done: 'connect' | 'secureConnect',
  timeoutMs: number,
  over: () => void,
): void {
  const timer = setTimeout(() => {
    socket.destroy(
      new OutboundError('timeout', 'The connection was not established in time.', { timeoutMs }),
    );
  }, timeoutMs);
  for (const event of [done, 'close']) {
    socket.once(event, () => {
      clearTimeout(timer);
      over();
    });
  }
}

/** At least one address; a `dns_error` when there are none, or not in time. */
async function resolveWithin(
  timeoutMs: number,
  host: string,
  answer: Promise<readonly string[]>,
): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await within(answer, timeoutMs);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    throw dnsError({ host, code, detail: message });
  }
  if (addresses.length === 0) throw dnsError({ host, detail: 'no address' });
  return addresses;
}

function dnsError(internal: Readonly<Record<string, unknown>>): OutboundError {
  return new OutboundError('dns_error', 'The host name could not be resolved.', internal);
}
