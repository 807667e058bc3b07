// `parley mcp`: a server of the Model Context Protocol on standard input and output, which the client that uses it starts (docs/mcp.md).
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Command } from 'commander';
import { createMcpServer, servicesAt } from '@parley/mcp';
import type { Environment } from '@parley/runtime';
import type { Output } from '../program.ts';
import { addressesOf, notNamed } from './addresses.ts';

export function addMcp(parley: Command, env: Environment, { explain }: Pick<Output, 'explain'>): void {
  parley
    .command('mcp')
    .description('Tools for assistants: a server of the Model Context Protocol on standard input and output')
    .action(async () => {
      const addresses = addressesOf(env);
      const named = Object.entries(addresses).map(([name, { url }]) => `${name} at ${url}`);
      // Standard output belongs to the protocol.
      explain(`parley mcp: ${named.join(', ') || 'no service was named: only what needs none works'}\n`);
      await createMcpServer(servicesAt(addresses, notNamed)).connect(new StdioServerTransport());
    });
}
