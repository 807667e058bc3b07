// `parley mcp`: a server of the Model Context Protocol on standard input and output (docs/mcp.md).
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Command } from 'commander';
import { createMcpServer, createServices } from '@parley/mcp';
import type { Environment } from '@parley/server/runtime';
import type { Output } from '../program.ts';
import { readAddresses, explainMissing } from './addresses.ts';

export function addMcp(parley: Command, env: Environment, { explain }: Pick<Output, 'explain'>): void {
  parley
    .command('mcp')
    .description('Serve tools for assistants: a Model Context Protocol server on standard input and output')
    .action(async () => {
      const addresses = readAddresses(env);
      const named = Object.entries(addresses).map(([name, { url }]) => `${name} at ${url}`);
      // Standard output belongs to the protocol.
      explain(
        `parley mcp: ${named.join(', ') || 'no service is configured; only tools without a server work'}\n`,
      );
      await createMcpServer(createServices(addresses, explainMissing)).connect(new StdioServerTransport());
    });
}
