// Which addresses are on the public Internet, as a table. Pure.
//
// Source: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890, as of 2025-10),
// the multicast and future-use blocks of IPv4, and the IPv6 space that IANA has not opened for
// unicast. Blocks that are globally reachable (AS112, AMT) are refused too: no customer's server
// can be there.
import { isIP, type BlockList } from 'node:net';
import { createAddressList } from '@parley/server/runtime';

/** Refused IPv4 blocks by kind. The names appear in logs only. */
const REFUSED_V4: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['0.0.0.0/8'],
  loopback: ['127.0.0.0/8'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  carrier_grade_nat: ['100.64.0.0/10'], // includes Alibaba's metadata service (100.100.100.200)
  link_local: ['169.254.0.0/16'], // the metadata service of most clouds
  // DS-Lite, NAT64 discovery; Oracle's metadata service (192.0.0.192)
  protocol_assignments: ['192.0.0.0/24'],
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  relay_6to4: ['192.88.99.0/24'],
  as112: ['192.31.196.0/24', '192.175.48.0/24'],
  amt: ['192.52.193.0/24'],
  benchmarking: ['198.18.0.0/15'],
  multicast: ['224.0.0.0/4'],
  broadcast: ['255.255.255.255/32'],
  future_use: ['240.0.0.0/4'],
  // Azure's wire server: a public number that is only reachable inside
  cloud_platform: ['168.63.129.16/32'],
};

/** Refused IPv6 blocks. Only `PUBLIC_V6` is allowed, so some rows merely name the block. */
const REFUSED_V6: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['::/128'],
  loopback: ['::1/128'],
  v4_compatible: ['::/96'],
  v4_translated: ['::ffff:0:0:0/96'],
  nat64_local: ['64:ff9b:1::/48'], // RFC 8215: the network chooses where the IPv4 address is inside
  discard: ['100::/64', '100:0:0:1::/64'],
  teredo: ['2001::/32'],
  benchmarking: ['2001:2::/48'],
  // ORCHID, ORCHIDv2, drone remote identification
  orchid: ['2001:10::/28', '2001:20::/28', '2001:30::/28'],
  protocol_assignments: ['2001::/23'],
  documentation: ['2001:db8::/32', '3fff::/20'],
  relay_6to4: ['2002::/16'],
  as112: ['2620:4f:8000::/48'],
  six_bone: ['3ffe::/16'], // returned to IANA, not assigned again
  segment_routing: ['5f00::/16'],
  // the metadata services of AWS (fd00:ec2::254) and Google (fd20:ce::254)
  unique_local: ['fc00::/7'],
  link_local: ['fe80::/10'],
  site_local: ['fec0::/10'],
  multicast: ['ff00::/8'],
};

/** IPv6 space that IANA has opened for unicast, and two prefixes that stand for an IPv4 address. */
const PUBLIC_V6: readonly string[] = [
  '2000::/3',
  '::ffff:0:0/96', // v4-mapped: the kernel connects to the IPv4 address inside
  '64:ff9b::/96', // NAT64 (RFC 6052): an IPv6-only network reaches IPv4-only receivers through it
];

/** Spellings of an IPv4 block inside IPv6, in which the same block is refused. */
const V4_INSIDE_V6: readonly string[] = ['::ffff:', '64:ff9b::'];
const V4_INSIDE_V6_OFFSET_BITS = 96;

const refused: readonly (readonly [range: string, list: BlockList])[] = [
  ...Object.entries(REFUSED_V4).map(
    ([range, blocks]) => [range, createAddressList(blocks.flatMap(listSpellings))] as const,
  ),
  ...Object.entries(REFUSED_V6).map(([range, blocks]) => [range, createAddressList(blocks)] as const),
];
const publicV6 = createAddressList(PUBLIC_V6);

/** An IPv4 block, and the same block inside IPv6. */
function listSpellings(block: string): string[] {
  const [network, bits] = block.split('/');
  return [
    block,
    ...V4_INSIDE_V6.map((prefix) => `${prefix}${network}/${V4_INSIDE_V6_OFFSET_BITS + Number(bits)}`),
  ];
}

/**
 * The kind of a non-public address (`loopback`, `private`, …); undefined for a public one. `ip`: no
 * brackets.
 */
export function findRefusedRange(ip: string): string | undefined {
  const family = isIP(ip);
  // a zone id names an interface of this machine
  if (family === 0 || ip.includes('%')) return 'not_an_address';
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  for (const [range, list] of refused) if (list.check(ip, kind)) return range;
  return family === 6 && !publicV6.check(ip, 'ipv6') ? 'unassigned' : undefined;
}
