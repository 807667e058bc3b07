// Parses configured addresses and blocks, and looks addresses up in them. Pure.
import { BlockList, isIP } from 'node:net';

/** Builds a list of addresses and blocks (`10.0.0.0/8`, `::1`). Throws for other items. */
export function createAddressList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', bits] = block.split('/');
    const kind = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(network, bits === undefined ? (kind === 'ipv4' ? 32 : 128) : Number(bits), kind);
  }
  return list;
}

/** Whether `addressList` accepts this text. */
export function isAddressBlock(text: string): boolean {
  const [, network = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(network);
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

/** Whether an address, as sockets and proxies write it, is in the list. */
export function isListed(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
