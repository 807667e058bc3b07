// The MCP server over the table of tools: it speaks no transport, and asks the services that it is given (docs/mcp.md).
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ApiError, ParleyError } from '@parley/sdk';
import { NotDone } from './not-done.ts';
import { bounded } from './bounded.ts';
import { resources } from './resources.ts';
import type { Services } from './services.ts';
import { effects } from './tool.ts';
import { instructions, tools } from './tools.ts';

/** As package.json says: a test compares. */
export const VERSION = '0.1.0';

export function createMcpServer(services: Services): McpServer {
  const server = new McpServer({ name: 'parley', title: 'Parley', version: VERSION }, { instructions });
  for (const { name, title, description, effect, input, output, run } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output, annotations: effects[effect] },
      async (given, { signal }) => {
        try {
          return answered(bounded(await run(services, given as never, signal)));
        } catch (error) {
          return refused(error);
        }
      },
    );
  for (const { uri, name, title, description, read } of resources) {
    const mimeType = 'application/json';
    server.registerResource(name, uri, { title, description, mimeType }, () => ({
      contents: [{ uri, mimeType, text: JSON.stringify(read(), null, 1) }],
    }));
  }
  return server;
}

/** As text too, for clients that know no structured content. */
function answered(answer: Readonly<Record<string, unknown>>): CallToolResult {
  const text = JSON.stringify(answer);
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as typeof answer };
}

/** What a service refuses is for the assistant to mend: it learns the code, and where. */
function refused(error: unknown): CallToolResult {
  const told =
    error instanceof ApiError
      ? {
          code: error.code,
          message: error.message,
          status: error.status,
          request_id: error.requestId,
          problems: error.fields.slice(0, 100).map(({ path, message }) => ({ pointer: path, message })),
        }
      : error instanceof NotDone || error instanceof ParleyError
        ? { code: 'not_done', message: error.message }
        : null;
  if (told === null) throw error;
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(told) }] };
}
