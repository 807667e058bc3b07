// Tools without a service: instructions, schemas, and validation in process (docs/mcp.md).
// apps/e2e/test/mcp.e2e.test.ts tests them with services.
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { playTest, type ConversationTest } from '@parley/flow-analysis';
import { compileFlow, limits, nodeTypes, readParsedFlow } from '@parley/flow-engine';
import { generatedBlock, markdownTable } from '@parley/testing';
import { ANSWER_BYTES_MAX, boundAnswer, ITEMS_MAX } from '../src/bounded.ts';
import { exampleFlows as examples } from '@parley/flow-analysis';
import { validateHere } from '../src/findings.ts';
import { resources } from '../src/resources.ts';
import { createMcpServer, VERSION } from '../src/server.ts';
import { createServices } from '../src/services.ts';
import { effects } from '../src/tool.ts';
import { tools } from '../src/tools.ts';

const client = new Client({ name: 'test', version: '1' });
const services = createServices({}, (service) => `no ${service} was named`);
beforeAll(async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([createMcpServer(services).connect(ours), client.connect(theirs)]);
});
afterAll(() => client.close());

const call = async (name: string, given: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: given })) as CallToolResult;
const textOf = ({ content }: CallToolResult) => (content[0] as { text: string }).text;

describe('the table of tools', () => {
  test('instructions name every tool, and only existing tools and resources', () => {
    const instructions = client.getInstructions()!;
    const named = [...instructions.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect([...new Set(named)].sort()).toEqual(tools.map(({ name }) => name).sort());
    for (const [uri] of instructions.matchAll(/parley:\/\/[a-z/-]+/g))
      expect(resources.map((resource) => resource.uri)).toContain(uri);
    expect(client.getServerVersion()).toMatchObject({ name: 'parley', version: VERSION });
  });

  test('every tool has an output schema, and hints that follow from its effect', async () => {
    const listed = (await client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const { name, inputSchema, outputSchema, annotations, description } of listed) {
      expect({ name, given: inputSchema.additionalProperties }).toEqual({ name, given: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(description).toMatch(/\.$/);
      expect(annotations).toEqual(effects[tools.find((tool) => tool.name === name)!.effect]);
    }
    const changing = listed.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    expect(changing).toEqual(['save_draft', 'publish', 'put_test', 'replay', 'send_notification']);
  });

  test('tools with external effects default to a dry run', () => {
    for (const { input } of tools.filter(({ effect }) => effect === 'sends')) {
      const { properties } = z.toJSONSchema(input, { io: 'input' });
      expect(properties?.['dry_run']).toMatchObject({ default: true });
    }
  });

  test('the version equals that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(VERSION).toBe(version);
  });
});

describe('resources', () => {
  test('each is JSON', async () => {
    const listed = (await client.listResources()).resources;
    expect(listed.map(({ uri }) => uri)).toEqual(resources.map(({ uri }) => uri));
    for (const { uri } of listed) {
      const [read] = (await client.readResource({ uri })).contents;
      expect(Object.keys(JSON.parse((read as { text: string }).text) as object)).not.toEqual([]);
    }
  });

  test.each(Object.values(examples))('the example is valid and passes its tests: $title', (example) => {
    const { definition, tests } = example;
    const said = validateHere(definition) as { findings: unknown[]; stats: { max_steps_per_turn: number } };
    expect(said).toMatchObject({ valid: true, findings: [] });
    const bounds = { stepsMax: limits.stepsMax, stepsProvedMax: said.stats.max_steps_per_turn };
    const compiled = compileFlow(readParsedFlow(definition));
    for (const test of Object.values<ConversationTest>(tests))
      expect(playTest(compiled, test, 0, bounds)).toEqual([]);
  });
});

describe('in process', () => {
  test('validates a definition, with pointer and hint', async () => {
    const { definition } = examples.booking;
    const { structuredContent } = await call('validate', { definition });
    expect(structuredContent).toMatchObject({ valid: true });
    const edges = [...definition.edges, { source: 'name', target: 'nowhere' }];
    const broken = await call('validate', { definition: { ...definition, edges } });
    expect(broken.structuredContent).toMatchObject({ valid: false });
    expect((broken.structuredContent as { findings: unknown[] }).findings).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        pointer: expect.stringMatching(/^\/edges\/3/),
        hint: expect.any(String),
      }),
    );
    expect(JSON.parse(textOf(broken))).toEqual(broken.structuredContent);
    expect((await call('validate', { definition: { nodes: [{}] } })).structuredContent).toMatchObject({
      valid: false,
      findings: expect.arrayContaining([expect.objectContaining({ code: 'not_a_definition' })]),
    });
  });

  test.each(Object.keys(nodeTypes))('the node type %s is described', async (type) => {
    const { structuredContent, isError } = await call('describe_node_type', { type });
    expect(isError).toBeFalsy();
    expect(structuredContent).toMatchObject({ type, meaning: nodeTypes[type as 'end'].meaning });
  });

  test('refuses invalid arguments by name', async () => {
    const wrong = await call('validate', { definitions: {} });
    expect(wrong).toMatchObject({ isError: true });
    expect(textOf(wrong)).toContain('definitions');
  });

  test.each([
    ['list_flows', 'flow-builder'],
    ['list_deliveries', 'voice-api'],
  ])('%s says that there is no %s', async (name, service) => {
    const missing = await call(name);
    expect(missing).toMatchObject({ isError: true });
    expect(textOf(missing)).toContain(`no ${service} was named`);
  });
});

describe('bounds', () => {
  test('a long list is cut at its end, and the answer reports it', () => {
    const items = Array.from({ length: ITEMS_MAX + 5 }, (_, index) => index);
    expect(boundAnswer({ items, other: 1 })).toEqual({
      items: items.slice(0, ITEMS_MAX),
      other: 1,
      omitted: { items: 5 },
    });
  });

  test('a list of long items is cut too; a long answer without a list is refused', () => {
    const items = Array.from({ length: 100 }, () => 'ä'.repeat(2_000));
    const cut = boundAnswer({ items, short: [1] });
    expect(Buffer.byteLength(JSON.stringify(cut.items))).toBeLessThan(ANSWER_BYTES_MAX);
    expect(cut).toMatchObject({ short: [1], omitted: { items: 100 - (cut.items as unknown[]).length } });
    expect(() => boundAnswer({ definition: 'x'.repeat(ANSWER_BYTES_MAX) })).toThrow('ask for less');
  });
});

test('the table in the documentation equals the code', () => {
  const rows = tools.map(({ name, effect, description }) => [`\`${name}\``, effect, description]);
  const { actual, expected } = generatedBlock(
    new URL('../../../docs/mcp.md', import.meta.url),
    'tools',
    markdownTable(['tool', 'effect', 'what it does'], rows),
  );
  expect(actual).toBe(expected);
});
