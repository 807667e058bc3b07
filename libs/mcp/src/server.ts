// Creates an MCP server from the table of tools, without a transport (docs/mcp.md).
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ApiError, ParleyError } from '@parley/sdk';
import { ToolError } from './not-done.ts';
import { boundAnswer } from './bounded.ts';
import { resources } from './resources.ts';
import type { Services } from './services.ts';
import { effects } from './tool.ts';
import { instructions, tools } from './tools.ts';

/** Equals the version in package.json; a test compares. */
export const VERSION = '0.2.0';

export function createMcpServer(services: Services): McpServer {
  const server = new McpServer({ name: 'parley', title: 'Parley', version: VERSION }, { instructions });
  for (const { name, title, description, effect, input, output, run } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output, annotations: effects[effect] },
      async (given, { signal }) => {
        try {
          return toResult(boundAnswer(await run(services, given as never, signal)));
        } catch (error) {
          return toErrorResult(error);
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

/** Also as text, for clients without structured content. */
function toResult(answer: Readonly<Record<string, unknown>>): CallToolResult {
  const text = JSON.stringify(answer);
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as typeof answer };
}

/** Reports a refusal with its code and place, so that the assistant can correct the call. */
function toErrorResult(error: unknown): CallToolResult {
  const problem =
    error instanceof ApiError
      ? {
          code: error.code,
          message: error.message,
          status: error.status,
          request_id: error.requestId,
          problems: error.fields.slice(0, 100).map(({ path, message }) => ({ pointer: path, message })),
        }
      : error instanceof ToolError || error instanceof ParleyError
        ? { code: 'not_done', message: error.message }
        : null;
  if (problem === null) throw error;
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(problem) }] };
}
