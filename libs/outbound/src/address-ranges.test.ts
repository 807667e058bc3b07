import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createAddressList, isAddressBlock } from '@parley/server/runtime';
import { findRefusedRange } from './address-ranges.ts';

describe('first and last address of each refused block, and the public ones next to it', () => {
  test.each([
    // range, first, last, before, after
    ['unspecified', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
    ['private', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['carrier_grade_nat', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['link_local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['private', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['protocol_assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['documentation', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['as112', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
    ['amt', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
    ['relay_6to4', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['private', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['as112', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
    ['benchmarking', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['documentation', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['documentation', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
    ['future_use', '240.0.0.0', '255.255.255.254', undefined, undefined],
    ['broadcast', '255.255.255.255', '255.255.255.255', undefined, undefined],
    ['cloud_platform', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['unspecified', '::', '0:0:0:0:0:0:0:0', undefined, undefined],
    ['loopback', '::1', '0:0:0:0:0:0:0:1', undefined, undefined],
    ['v4_compatible', '::2', '::ffff:ffff', undefined, undefined],
    ['v4_translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff', undefined, undefined],
    ['nat64_local', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
    ['discard', '100::', '100::ffff:ffff:ffff:ffff', undefined, undefined],
    ['discard', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff', undefined, undefined],
    [
      'teredo',
      '2001::',
      '2001:0:ffff:ffff:ffff:ffff:ffff:ffff',
      '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      undefined,
    ],
    ['protocol_assignments', '2001:1::1', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2001:200::'],
    ['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
    ['orchid', '2001:10::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
    [
      'documentation',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db7:ffff::',
      '2001:db9::',
    ],
    ['relay_6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
    [
      'as112',
      '2620:4f:8000::',
      '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
      '2620:4f:7fff:ffff::',
      '2620:4f:8001::',
    ],
    ['six_bone', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffd:ffff::', undefined],
    ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '3fff:1000::'],
    ['unassigned', '4000::', '5eff:ffff::', '3fff:ffff::', undefined],
    ['segment_routing', '5f00::', '5f00:ffff::', undefined, undefined],
    ['unassigned', '6000::', 'fbff:ffff::', undefined, undefined],
    ['unique_local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
    ['link_local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
    ['site_local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
    ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
  ])('%s %s–%s', (range, first, last, before, after) => {
    expect([findRefusedRange(first), findRefusedRange(last)]).toEqual([range, range]);
    expect([before, after].map((ip) => ip && findRefusedRange(ip))).toEqual([undefined, undefined]);
  });
});

test('the metadata services of the clouds', () => {
  const services = [
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
  ];
  expect(services.filter((ip) => findRefusedRange(ip) === undefined)).toEqual([]);
});

describe('an IPv4 address inside IPv6', () => {
  const v4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => bytes.join('.'));
  const hex = (ip: string) => {
    const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  };
  const near = fc.constantFrom(
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '8.8.8.8',
    '168.63.129.16',
    '255.255.255.255',
  );

  test('v4-mapped and NAT64 addresses are judged by the address inside, in any spelling', () => {
    fc.assert(
      fc.property(fc.oneof(v4, near), (ip) => {
        const inside = [
          `::ffff:${ip}`,
          `::ffff:${hex(ip)}`,
          `0:0:0:0:0:FFFF:${hex(ip)}`,
          `64:ff9b::${ip}`,
          `64:FF9B::${hex(ip)}`,
        ];
        expect(inside.map(findRefusedRange)).toEqual(inside.map(() => findRefusedRange(ip)));
      }),
    );
  });

  test('every other form with an address inside is refused', () => {
    fc.assert(
      fc.property(v4, (ip) => {
        const inside = [
          `2002:${hex(ip)}::1`,
          `::${ip}`,
          `64:ff9b:1::${ip}`,
          `::ffff:0:${ip}`,
          `2001:0:4136:e378:8000:63bf:${hex(ip)}`,
        ];
        expect(inside.filter((address) => findRefusedRange(address) === undefined)).toEqual([]);
      }),
    );
  });
});

/** The same question answered by plain arithmetic. */
test('nothing outside 2000::/3 is public except v4-mapped and NAT64', () => {
  const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, (parts) => {
      const [first = 0] = parts;
      fc.pre(first >> 13 !== 1 && first !== 0 && first !== 0x64);
      expect(findRefusedRange(parts.map((part) => part.toString(16)).join(':'))).toBeDefined();
    }),
  );
});

test('public addresses', () => {
  const known = [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82b::200e',
    '2600:1f18::1',
  ];
  expect(known.map(findRefusedRange)).toEqual(known.map(() => undefined));
});

test.each([
  ['fe80::1%eth0'],
  ['2606:4700::1%1'],
  ['127.1'],
  ['0x7f.0.0.1'],
  ['010.0.0.1'],
  ['[::1]'],
  ['localhost'],
  [''],
])('%j is not an address', (text) => {
  expect(findRefusedRange(text)).toBe('not_an_address');
  expect(isAddressBlock(text)).toBe(false);
});

test('blocks and single addresses', () => {
  const list = createAddressList(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1']);
  expect(list.check('10.255.0.1', 'ipv4')).toBe(true);
  expect(list.check('192.0.2.7', 'ipv4')).toBe(true);
  expect(list.check('192.0.2.8', 'ipv4')).toBe(false);
  expect(list.check('fdff::1', 'ipv6')).toBe(true);
  expect(list.check('::1', 'ipv6')).toBe(true);
  expect(list.check('::2', 'ipv6')).toBe(false);
  for (const text of ['10.0.0.0/8', '10.0.0.0/0', '::/128', '1.2.3.4'])
    expect(isAddressBlock(text)).toBe(true);
  for (const text of ['10.0.0.0/33', '::/129', '10.0.0.0/', '/8', '10.0.0.0/8/8', '10.0.0.0/-1', '10/8']) {
    expect(isAddressBlock(text)).toBe(false);
  }
});
