// The resolver for customers' names, with our own name server.
import { afterEach, expect, test } from '@jest/globals';
import dgram from 'node:dgram';
import { createDnsResolve } from '../src/resolve.ts';

const servers: dgram.Socket[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;

/** Gives up sooner than in production. */
const resolver = (server: string) => createDnsResolve({ servers: [server], queryTimeoutMs: 200 });

type Zone = (name: string, type: number) => readonly Buffer[] | 'no such name' | 'silence';

/** A name server that answers from `zone`, over UDP (RFC 1035 §4). */
async function nameServer(zone: Zone): Promise<string> {
  const server = dgram.createSocket('udp4');
  servers.push(server);
  server.on('message', (query, from) => {
    const questionEnd = query.indexOf(0, 12) + 5;
    const name = labelsOf(query.subarray(12));
    const answers = zone(name, query.readUInt16BE(questionEnd - 4));
    if (answers === 'silence') return;
    const records = answers === 'no such name' ? [] : answers;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(answers === 'no such name' ? 0x8180 | NAME_ERROR : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    server.send(Buffer.concat([head, query.subarray(12, questionEnd), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  return `127.0.0.1:${server.address().port}`;
}

function labelsOf(bytes: Buffer): string {
  const labels: string[] = [];
  let at = 0;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return labels.join('.');
}

function record(type: number, data: readonly number[]): Buffer {
  // the requested name, TTL 0
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, Buffer.from(data)]);
}
const a = (...bytes: number[]) => record(TYPE_A, bytes);
const aaaa = (last: number) => record(TYPE_AAAA, [0x26, 6, ...Array<number>(13).fill(0), last]);

test('all addresses of both families, IPv4 first', async () => {
  const server = await nameServer((name, type) => {
    if (name !== 'hooks.example.com') return 'no such name';
    return type === TYPE_A ? [a(93, 184, 216, 34), a(10, 0, 0, 1)] : [aaaa(1), aaaa(2)];
  });
  const addresses = await resolver(server)('hooks.example.com');
  expect([...addresses].sort()).toEqual(['10.0.0.1', '2606::1', '2606::2', '93.184.216.34']);
  expect(addresses.slice(0, 2).every((address) => !address.includes(':'))).toBe(true);
});

test('one family suffices, whatever the other returns', async () => {
  const onlyA = await nameServer((_name, type) => (type === TYPE_A ? [a(8, 8, 8, 8)] : []));
  expect(await resolver(onlyA)('hooks.example.com')).toEqual(['8.8.8.8']);
  const onlyAaaa = await nameServer((_name, type) => (type === TYPE_A ? [] : [aaaa(1)]));
  expect(await resolver(onlyAaaa)('hooks.example.com')).toEqual(['2606::1']);
  const halfSilent = await nameServer((_name, type) => (type === TYPE_A ? [a(8, 8, 8, 8)] : 'silence'));
  expect(await resolver(halfSilent)('hooks.example.com')).toEqual(['8.8.8.8']);
});

test('a name that does not exist rejects, and so does one without an address', async () => {
  const none = await nameServer(() => 'no such name');
  await expect(resolver(none)('hooks.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const empty = await nameServer(() => []);
  await expect(resolver(empty)('hooks.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
});

test('a silent name server is given up', async () => {
  const silent = await nameServer(() => 'silence');
  await expect(resolver(silent)('hooks.example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' });
});

test('it does not know names of this machine', async () => {
  const asked: string[] = [];
  const server = await nameServer((name) => {
    asked.push(name);
    return 'no such name';
  });
  await expect(resolver(server)('short')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(new Set(asked)).toEqual(new Set(['short'])); // no search domain was appended
});
