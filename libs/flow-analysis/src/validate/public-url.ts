// Checks by its spelling alone whether outgoing requests may go to an address
// (docs/platform.md#outgoing-requests). The connection checks what a name resolves to, so this
// refuses early and never allows finally.
import { quoted } from './finding.ts';
import type { ValidationOptions } from './flow-index.ts';

/** The problem of an authored address, or null. */
export function findUrlProblem(
  authored: unknown,
  { allowsUrl }: Pick<ValidationOptions, 'allowsUrl'>,
): string | null {
  if (typeof authored !== 'string') return 'no url';
  if (!URL.canParse(authored)) return `${quoted(authored)} is no URL`;
  const url = new URL(authored);
  if (url.username !== '' || url.password !== '') return 'a URL with a user name or password';
  return allowsUrl?.(url) === true ? null : findPublicUrlProblem(url);
}

/** The problem of a URL as a public https address, or null. */
function findPublicUrlProblem(url: URL): string | null {
  if (url.protocol !== 'https:') return `${url.protocol.slice(0, -1)} is not https`;
  const host = url.hostname.replace(/\.$/, '');
  if (host.startsWith('['))
    return isPublicV6(readV6(host.slice(1, -1))) ? null : `${host} is not a public address`;
  const v4 = readV4(host);
  if (v4 !== null) return isPublicV4(v4) ? null : `${host} is not a public address`;
  if (!host.includes('.')) return `${host} is not a public host name`;
  return privateSuffixes.some((suffix) => host.endsWith(suffix)) ? `${host} is not a public host name` : null;
}

const privateSuffixes = ['.localhost', '.local', '.internal', '.svc'];

/**
 * Networks that are not the public internet, IANA special-purpose registries: first address and
 * prefix length.
 */
const reservedV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/**
 * The address as one number. The URL parser has turned every spelling (0x7f.1, 2130706433) into
 * four decimals.
 */
function readV4(host: string): number | null {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return null;
  return host.split('.').reduce((address, byte) => address * 256 + Number(byte), 0);
}

function isPublicV4(address: number): boolean {
  return !reservedV4.some(([network, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor(readV4(network)! / size);
  });
}

/**
 * The eight groups of an address as the URL parser writes it: no embedded IPv4, at most one `::`.
 */
function readV6(host: string): number[] {
  const groups = (part: string | undefined) =>
    part ? part.split(':').map((group) => parseInt(group, 16)) : [];
  const [head, tail] = host.split('::').map(groups) as [number[], number[] | undefined];
  return [...head, ...Array<number>(8 - head.length - (tail?.length ?? 0)).fill(0), ...(tail ?? [])];
}

/**
 * Only global unicast (2000::/3) is public, without its parts for tunnels (Teredo, 6to4) and
 * documentation.
 */
function isPublicV6([first = 0, second = 0]: readonly number[]): boolean {
  if (first >> 13 !== 1) return false;
  const nonPublicV6 = first === 0x2001 && second < 0x200;
  const documentation = (first === 0x2001 && second === 0xdb8) || (first === 0x3fff && second < 0x1000);
  return !nonPublicV6 && !documentation && first !== 0x2002;
}
