// Which addresses may receive requests (docs/platform.md#outgoing-requests). Pure. Checked when a
// customer registers a URL and again before each request: stored URLs are never trusted.
import { isIP, type BlockList } from 'node:net';
import { createAddressList, isAddressBlock } from '@parley/server/runtime';
import { findRefusedRange } from './address-ranges.ts';

/**
 * Browsers and receivers stop near this length, and rows and logs stay small
 * (docs/platform.md#outgoing-requests).
 */
export const URL_CHARS_MAX = 2_048;
/** DNS: a name has at most 253 characters and a label 63 (RFC 1035 §2.3.4). */
const HOST_CHARS_MAX = 253;
const LABEL_CHARS_MAX = 63;

/**
 * Last labels of names in this network, wherever the process runs. `.svc.cluster.local` ends in
 * one.
 */
const INTERNAL_SUFFIXES: ReadonlySet<string> = new Set(['localhost', 'local', 'internal', 'svc']);

export interface AddressPolicy {
  /** Ports that a URL may name (OUTBOUND_PORTS). */
  readonly ports: ReadonlySet<number>;
  /**
   * Host names, in lower case, that are exempt from the rules on scheme, port and address
   * (OUTBOUND_ALLOW).
   */
  readonly allowedHosts: ReadonlySet<string>;
  /** Addresses with the same exemption. */
  readonly allowedAddresses: BlockList;
}

/** `allow`: addresses, blocks (`10.0.0.0/8`) and host names, each of which passed `isAllowItem`. */
export function createAddressPolicy(
  options: { readonly ports?: readonly number[]; readonly allow?: readonly string[] } = {},
): AddressPolicy {
  const { ports = [443], allow = [] } = options;
  return {
    ports: new Set(ports),
    allowedHosts: new Set(allow.filter((item) => !isAddressBlock(item)).map((item) => item.toLowerCase())),
    allowedAddresses: createAddressList(allow.filter(isAddressBlock)),
  };
}

/**
 * Whether an item of OUTBOUND_ALLOW is an address, a block or a host name (no port, no wildcard).
 */
export function isAllowItem(item: string): boolean {
  if (isAddressBlock(item)) return true;
  const lastLabel = item.slice(item.lastIndexOf('.') + 1);
  return (
    item.length <= HOST_CHARS_MAX && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(item) && /[a-z]/i.test(lastLabel)
  );
}

export type UrlCheck =
  | { readonly ok: true; readonly url: URL }
  /**
   * `problem` completes "The URL …" and is safe to show: it never says what an address turned out
   * to be.
   */
  | { readonly ok: false; readonly reason: UrlRefusal; readonly problem: string };

export type UrlRefusal = 'malformed' | 'too_long' | 'userinfo' | 'scheme' | 'port' | 'host' | 'address';

/**
 * Checks a URL without the network; every connect checks what its host resolves to. Looks at the
 * parsed host, so it recognises IP addresses in every spelling of the WHATWG parser (decimal, hex,
 * octal, full-width digits, v4-mapped …).
 */
export function checkUrl(text: string, policy: AddressPolicy): UrlCheck {
  if (text.length > URL_CHARS_MAX) return refuse('too_long', `must have at most ${URL_CHARS_MAX} characters`);
  // The parser would drop tabs and line ends and read a backslash as a slash, which hides the
  // intent.
  if (/[\u0000-\u0020\u007f\\]/.test(text)) {
    return refuse('malformed', 'must not contain blanks, control characters or backslashes');
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') return refuse('malformed', 'must be an absolute https URL');
  if (url.username !== '' || url.password !== '') {
    return refuse('userinfo', 'must not contain a user name or password');
  }
  const host = toBareHost(url.hostname);
  if (isExempt(host, policy)) {
    const plain = url.protocol === 'http:' || url.protocol === 'https:';
    return plain ? { ok: true, url } : refuse('scheme', 'must start with https:// or http://');
  }
  if (url.protocol !== 'https:') return refuse('scheme', 'must start with https://');
  if (!policy.ports.has(Number(url.port || 443))) {
    return refuse('port', `must use port ${[...policy.ports].join(' or ')}`);
  }
  if (isIP(host) !== 0) {
    return checkAddress(host, policy).ok
      ? { ok: true, url }
      : refuse('address', 'must not name a private or reserved address');
  }
  return isPublicName(host) ? { ok: true, url } : refuse('host', 'must name a public host');
}

export type AddressCheck =
  | { readonly ok: true }
  /** `range` is for logs only: it would tell a customer about the internal network. */
  | { readonly ok: false; readonly range: string };

/** Checks one IP address (no brackets): public, or allowed by OUTBOUND_ALLOW. */
export function checkAddress(ip: string, policy: AddressPolicy): AddressCheck {
  const range = findRefusedRange(ip);
  if (range === undefined || isAllowedAddress(ip, policy)) return { ok: true };
  return { ok: false, range };
}

/**
 * Whether the operator exempted this host (a name or an address, no brackets, no dot at the end).
 */
export function isExempt(host: string, policy: AddressPolicy): boolean {
  return isIP(host) === 0 ? policy.allowedHosts.has(host) : isAllowedAddress(host, policy);
}

/** A URL's host for DNS and TLS: no brackets, no dot at the end. */
export function toBareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

function isAllowedAddress(ip: string, policy: AddressPolicy): boolean {
  if (ip.includes('%')) return false;
  return policy.allowedAddresses.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6');
}

function isPublicName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= HOST_CHARS_MAX &&
    labels.length > 1 &&
    labels.every((label) => label.length > 0 && label.length <= LABEL_CHARS_MAX) &&
    !INTERNAL_SUFFIXES.has(labels.at(-1) ?? '')
  );
}

function refuse(reason: UrlRefusal, problem: string): UrlCheck {
  return { ok: false, reason, problem };
}
