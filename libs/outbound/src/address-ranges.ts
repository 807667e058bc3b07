// Which addresses are on the public Internet, as a table. Pure.
//
// Source: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890, as of 2025-10), the multicast and
// future-use blocks of IPv4, and the IPv6 space that IANA has not opened for unicast. Where a registry calls a block
// globally reachable (AS112, AMT) it is refused all the same: no customer's server can stand there.
import { isIP, type BlockList } from 'node:net';
import { addressList } from '@parley/runtime';

/** IPv4 blocks that are refused, by what they are. The names appear in logs only. */
const REFUSED_V4: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['0.0.0.0/8'],
  loopback: ['127.0.0.0/8'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  carrier_grade_nat: ['100.64.0.0/10'], // Alibaba's metadata service (100.100.100.200) included
  link_local: ['169.254.0.0/16'], // the metadata service of most clouds
  protocol_assignments: ['192.0.0.0/24'], // DS-Lite, NAT64 discovery; Oracle's metadata service (192.0.0.192)
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  relay_6to4: ['192.88.99.0/24'],
  as112: ['192.31.196.0/24', '192.175.48.0/24'],
  amt: ['192.52.193.0/24'],
  benchmarking: ['198.18.0.0/15'],
  multicast: ['224.0.0.0/4'],
  broadcast: ['255.255.255.255/32'],
  future_use: ['240.0.0.0/4'],
  cloud_platform: ['168.63.129.16/32'], // Azure's wire server: a public number that only the inside can reach
};

/** IPv6 blocks that are refused. Only `PUBLIC_V6` is let through at all, so some rows merely give the block its name. */
const REFUSED_V6: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['::/128'],
  loopback: ['::1/128'],
  v4_compatible: ['::/96'],
  v4_translated: ['::ffff:0:0:0/96'],
  nat64_local: ['64:ff9b:1::/48'], // RFC 8215: where the IPv4 address stands inside is for the network to choose
  discard: ['100::/64', '100:0:0:1::/64'],
  teredo: ['2001::/32'],
  benchmarking: ['2001:2::/48'],
  orchid: ['2001:10::/28', '2001:20::/28', '2001:30::/28'], // ORCHID, ORCHIDv2, drone remote identification
  protocol_assignments: ['2001::/23'],
  documentation: ['2001:db8::/32', '3fff::/20'],
  relay_6to4: ['2002::/16'],
  as112: ['2620:4f:8000::/48'],
  six_bone: ['3ffe::/16'], // returned to IANA, not given out again
  segment_routing: ['5f00::/16'],
  unique_local: ['fc00::/7'], // the metadata services of AWS (fd00:ec2::254) and Google (fd20:ce::254)
  link_local: ['fe80::/10'],
  site_local: ['fec0::/10'],
  multicast: ['ff00::/8'],
};

/** IPv6 space that IANA has opened for unicast, and two prefixes that stand for an IPv4 address. */
const PUBLIC_V6: readonly string[] = [
  '2000::/3',
  '::ffff:0:0/96', // v4-mapped: the kernel connects to the IPv4 address inside
  '64:ff9b::/96', // NAT64 (RFC 6052): on an IPv6-only network every IPv4-only receiver is reached through it
];

/** Spellings of an IPv4 block inside IPv6, in which the same block is refused. */
const V4_INSIDE_V6: readonly string[] = ['::ffff:', '64:ff9b::'];
const V4_INSIDE_V6_OFFSET_BITS = 96;

const refused: readonly (readonly [range: string, list: BlockList])[] = [
  ...Object.entries(REFUSED_V4).map(
    ([range, blocks]) => [range, addressList(blocks.flatMap(everySpelling))] as const,
  ),
  ...Object.entries(REFUSED_V6).map(([range, blocks]) => [range, addressList(blocks)] as const),
];
const publicV6 = addressList(PUBLIC_V6);

/** An IPv4 block, and the same block as it looks inside IPv6. */
function everySpelling(block: string): string[] {
  const [network, bits] = block.split('/');
  return [
    block,
    ...V4_INSIDE_V6.map((prefix) => `${prefix}${network}/${V4_INSIDE_V6_OFFSET_BITS + Number(bits)}`),
  ];
}

/** What kind of non-public address this is (`loopback`, `private`, …); undefined for a public one. `ip`: no brackets. */
export function refusedRange(ip: string): string | undefined {
  const family = isIP(ip);
  if (family === 0 || ip.includes('%')) return 'not_an_address'; // a zone id names an interface of this machine
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  for (const [range, list] of refused) if (list.check(ip, kind)) return range;
  return family === 6 && !publicV6.check(ip, 'ipv6') ? 'unassigned' : undefined;
}
