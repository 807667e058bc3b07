// Runs `parley mcp` and the console's /mcp as an assistant's client does, on the built services
// (docs/mcp.md).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStack, type Stack } from '@parley/dev/stack';
import { Parley } from '@parley/sdk';
import { eventually } from '@parley/testing';
import { ROOT } from '../src/sdk/sdk-under-test.ts';

const PATIENCE_MS = 240_000;
const home = mkdtempSync(join(tmpdir(), 'parley-mcp-'));
const client = new Client({ name: 'e2e', version: '1' });
let stack: Stack;
let parley: Parley;
beforeAll(async () => {
  stack = await startStack({
    root: ROOT,
    home,
    released: true,
    env: { PATH: process.env['PATH'] },
    queue: { kind: 'postgres' },
    console: true,
  });
  const { 'flow-builder': flows, 'voice-api': voice, notifications } = stack.services;
  parley = new Parley({
    flowBuilder: { url: flows.origin, key: flows.apiKey },
    voiceApi: { url: voice.baseUrl, key: voice.apiKey },
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [stack.cli('flow-builder'), 'mcp'],
      cwd: home,
      stderr: 'ignore',
      env: {
        PARLEY_FLOWS_URL: flows.origin,
        PARLEY_FLOWS_KEY: flows.apiKey,
        PARLEY_VOICE_URL: voice.baseUrl,
        PARLEY_VOICE_KEY: voice.apiKey,
        PARLEY_NOTIFICATIONS_URL: notifications.origin,
        PARLEY_NOTIFICATIONS_KEY: notifications.apiKey,
      },
    }),
  );
  await client.listTools(); // so that the client checks answers against their schemas
}, PATIENCE_MS);
afterAll(async () => {
  await client.close();
  await stack.stop();
  rmSync(home, { recursive: true, force: true });
});

type Json = Record<string, unknown>;
/** Returns the tool's result. */
async function call(name: string, given: Json = {}): Promise<Json> {
  const { isError, content, structuredContent } = (await client.callTool({
    name,
    arguments: given,
  })) as CallToolResult;
  if (isError) throw new Error(`${name}: ${(content[0] as { text: string }).text}`);
  return structuredContent!;
}
/** Returns the tool's error. */
async function refusal(name: string, given: Json): Promise<Json> {
  const { isError, content } = (await client.callTool({ name, arguments: given })) as CallToolResult;
  expect(isError).toBe(true);
  return JSON.parse((content[0] as { text: string }).text) as Json;
}

interface Example {
  definition: { nodes: Json[]; edges: Json[] };
  tests: Record<string, Json>;
}
const flow_id = 'table';

test(
  'an assistant writes, simulates, tests and publishes a flow, and cannot publish a failing one',
  async () => {
    const [read] = (await client.readResource({ uri: 'parley://examples/booking' })).contents;
    const { definition, tests } = JSON.parse((read as { text: string }).text) as Example;
    expect(await call('save_draft', { flow_id, definition, base_version: null })).toMatchObject({
      version: 1,
      valid: true,
    });
    expect(await call('list_flows', { q: flow_id })).toMatchObject({ items: [{ flow_id }] });
    for (const [name, body] of Object.entries(tests))
      expect(await call('put_test', { flow_id, name, test: body })).toMatchObject({ name });
    expect(await call('run_tests', { flow_id })).toMatchObject({ version: 1, passed: 2, failed: 0 });
    expect(await call('publish', { flow_id, version: 1 })).toEqual({ flow_id, published_version: 1 });

    const changed = {
      ...definition,
      nodes: definition.nodes.map((node) =>
        node['id'] === 'booked' ? { ...node, message: 'Thank you, {{ name }}.' } : node,
      ),
    };
    const said = { utterances: [null, 'four', 'Ada'] };
    const held = await call('simulate', { flow_id, definition: changed, ...said });
    expect((held['turns'] as Json[]).at(-1)).toMatchObject({
      status: 'completed',
      outputs: [{ text: 'Thank you, Ada.' }],
    });
    expect(await call('diff', { flow_id, definition: changed })).toMatchObject({
      identical: false,
      to: null,
    });
    expect(await call('compare', { flow_id, from: 1, definition: changed })).toMatchObject({
      same: false,
      groups: [expect.objectContaining({ sentence: expect.any(String) })],
    });
    expect(await call('reach', { flow_id, node_id: 'person' })).toMatchObject({ reached: true });

    expect(await call('save_draft', { flow_id, definition: changed, base_version: 1 })).toMatchObject({
      version: 2,
    });
    expect(await refusal('save_draft', { flow_id, definition, base_version: 1 })).toMatchObject({
      code: 'stale_version',
      status: 412,
    });
    const { results } = (await call('run_tests', { flow_id })) as { results: Json[] };
    expect(results[0]).toMatchObject({ name: 'table-for-four', passed: false });
    expect(await refusal('publish', { flow_id, version: 2 })).toMatchObject({ status: 422 });
    expect(await call('get_flow', { flow_id, node_ids: ['booked'] })).toMatchObject({
      version: 2,
      published_version: 1,
      definition: { nodes: [{ id: 'booked' }], edges: [{ source: 'name' }] },
    });
  },
  PATIENCE_MS,
);

test(
  'errors carry their place, also those of the flow builder',
  async () => {
    const calling = {
      nodes: [
        { id: 'start', type: 'branch', call: { flow_id: 'nowhere', version: 'published' } },
        { id: 'bye', type: 'end' },
      ],
      edges: [{ source: 'start', target: 'bye' }],
    };
    const { valid, findings } = await call('validate', { definition: calling });
    expect(valid).toBe(false);
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: 'error', pointer: expect.stringMatching(/^\/nodes\/0/) }),
    );
    expect(await call('validate', { flow_id })).toMatchObject({ valid: true });
    expect(await refusal('get_flow', { flow_id: 'nowhere' })).toMatchObject({
      code: 'not_found',
      status: 404,
    });
    expect(
      await refusal('save_draft', { flow_id: 'x', definition: { nodes: 1 }, base_version: null }),
    ).toMatchObject({ problems: [expect.objectContaining({ pointer: '/definition/nodes' })] });
  },
  PATIENCE_MS,
);

test(
  'finds and explains a conversation',
  async () => {
    const bot = await parley.voiceApi.createBot({ body: { name: 'Host' } });
    const talk = parley.conversation(flow_id, { sessionId: 'call-1', botId: bot.id });
    for (const words of [undefined, 'four', 'Ada']) await talk.say(words);
    expect(talk.ended).toBe(true);
    const conversation_id = 'call-1';
    await eventually(async () => {
      const { turns } = await call('explain_conversation', { conversation_id });
      return (turns as Json[]).length === 3;
    });
    expect(await call('list_conversations', { flow_id })).toMatchObject({ items: [{ id: 'call-1' }] });
    const explained = await call('explain_conversation', { conversation_id, turn: 2 });
    expect(explained).toMatchObject({
      conversation: { id: 'call-1' },
      explanation: { same: true, trace: expect.any(Array) },
    });
    expect((explained['turns'] as Json[])[1]).toMatchObject({
      user_input: 'four',
      messages: ['Under which name?'],
    });
    expect(await refusal('explain_conversation', { conversation_id, turn: 9 })).toMatchObject({
      code: 'not_done',
    });
  },
  PATIENCE_MS,
);

test(
  'deliveries and notifications: a dry run sends nothing',
  async () => {
    expect(await call('list_deliveries', { status: 'exhausted' })).toMatchObject({ items: [] });
    const { id: webhook_id } = await parley.voiceApi.registerWebhook({
      body: { url: 'https://example.com/hook', events: ['conversation.ended'] } as never,
    });
    const [since, until] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    expect(await call('replay', { webhook_id, since, until })).toMatchObject({
      dry_run: true,
      replayed: 0,
    });
    const note = { channels: ['in_app'], message: 'Ready.', target: { in_app: { user_id: 'ada' } } };
    expect(await call('send_notification', note)).toMatchObject({
      dry_run: true,
      accepted_channels: ['in_app'],
    });
    expect(await call('send_notification', { ...note, dry_run: false })).toMatchObject({
      dry_run: false,
      notification_id: expect.any(String),
    });
  },
  PATIENCE_MS,
);

test(
  'the console serves the same tools over HTTP, with the keys of the caller',
  async () => {
    const { 'flow-builder': flows, 'voice-api': voice, notifications } = stack.services;
    const keys = [flows, voice, notifications].map(({ apiKey }) => apiKey).join('+');
    const headers = { authorization: `Bearer ${keys}` };
    const remote = new Client({ name: 'e2e', version: '1' });
    const url = new URL('/mcp', stack.console!.baseUrl);
    await remote.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    expect(await remote.listTools()).toEqual(await client.listTools());
    expect(await remote.listResources()).toEqual(await client.listResources());
    expect(remote.getInstructions()).toBe(client.getInstructions());
    for (const [name, given] of Object.entries({
      get_flow: { flow_id },
      list_conversations: { flow_id },
      send_notification: {
        channels: ['in_app'],
        message: 'Ready.',
        target: { in_app: { user_id: 'ada' } },
      },
    })) {
      const answered = (await remote.callTool({ name, arguments: given })) as CallToolResult;
      expect({ name, answered: answered.structuredContent }).toEqual({
        name,
        answered: await call(name, given),
      });
    }
    await remote.close();
  },
  PATIENCE_MS,
);
