// Tools that read, describe, validate, save and publish flows (docs/mcp.md#tools).
import { definitionMembers, type Member } from '@parley/flow-analysis';
import { nodeTypes, type NodeType } from '@parley/flow-engine';
import { z } from 'zod';
import { findings, toFindings, toDefinitionFindings, validateHere } from './findings.ts';
import { cursor, definition, flowId, items, limit, nextCursor, text, tool, version } from './tool.ts';

const flowHead = {
  flow_id: z.string(),
  version: z.int(),
  valid: z.boolean(),
  findings,
};

type Raw = Readonly<Record<string, unknown>>;

/** Selects nodes and the edges that touch them. */
function selectNodes(whole: Raw, nodeIds: readonly string[]): Raw {
  const [nodes, edges] = [(whole['nodes'] ?? []) as Raw[], (whole['edges'] ?? []) as Raw[]];
  const selected: ReadonlySet<unknown> = new Set(nodeIds);
  const isSelected = (id: unknown) => selected.has(id);
  return {
    ...whole,
    nodes: nodes.filter(({ id }) => isSelected(id)),
    edges: edges.filter(({ source, target }) => isSelected(source) || isSelected(target)),
  };
}

export const authoringTools = [
  tool({
    name: 'list_flows',
    title: 'List flows',
    description: 'Lists the flows of the organisation, newest first: ids, names and latest versions.',
    effect: 'reads',
    input: {
      q: text().describe('A part of the id or the name').optional(),
      published: z.boolean().describe('Only published flows, or only unpublished ones').optional(),
      cursor: cursor.optional(),
      limit,
    },
    output: { items, next_cursor: nextCursor },
    run: async ({ flows }, { published, ...input }, signal) => {
      const only = published === undefined ? {} : ({ published: published ? 'true' : 'false' } as const);
      return flows.listFlows({ ...input, ...only }, { signal });
    },
  }),
  tool({
    name: 'get_flow',
    title: 'Read a flow',
    description:
      'Returns a version of a flow with its definition and findings. Its `version` is the `base_version` of save_draft. Select nodes of a large flow with `node_ids`.',
    effect: 'reads',
    input: {
      flow_id: flowId,
      version: z.union([z.enum(['latest', 'published']), version]).default('latest'),
      node_ids: z
        .array(text())
        .min(1)
        .max(100)
        .describe('Only these nodes and their edges; you cannot save such a part')
        .optional(),
    },
    output: {
      ...flowHead,
      name: z.string(),
      latest_version: z.int(),
      published_version: z.int().nullable(),
      definition: z.looseObject({}),
    },
    run: async ({ flows }, { node_ids, ...input }, signal) => {
      const stored = await flows.getFlow(input, { signal });
      return {
        flow_id: stored.flow_id,
        name: stored.name,
        version: stored.version,
        latest_version: stored.latest_version,
        published_version: stored.published_version,
        valid: stored.validation.valid,
        definition: node_ids ? selectNodes(stored.definition, node_ids) : stored.definition,
        findings: toFindings(stored.validation),
      };
    },
  }),
  tool({
    name: 'describe_node_type',
    title: 'Describe a node type',
    description:
      'Describes a node type: what it does, how many edges it may have, and every member that it reads.',
    effect: 'reads',
    input: { type: z.enum(Object.keys(nodeTypes) as [NodeType, ...NodeType[]]) },
    output: {
      type: z.string(),
      aliases: z.array(z.string()),
      meaning: z.string(),
      terminal: z.boolean(),
      constraints: z.looseObject({}),
      members: z.array(z.looseObject({ name: z.string(), meaning: z.string(), required: z.boolean() })),
    },
    run: (_services, { type }) => {
      const { aliases, meaning, terminal, constraints } = nodeTypes[type];
      const members = Object.entries<Member>(definitionMembers().node)
        .filter(([, { on }]) => on === undefined || on.includes(type))
        .map(([name, member]) => ({
          name,
          meaning: member.meaning,
          required: member.required,
          ...(member.default === undefined ? {} : { default: member.default }),
          ...(member.otherwise === undefined ? {} : { when_absent: member.otherwise }),
        }));
      return { type, aliases, meaning, terminal, constraints, members };
    },
  }),
  tool({
    name: 'validate',
    title: 'Validate',
    description:
      'Validates a definition or a stored version without running it. Each finding has a JSON pointer and a hint. Errors prevent publishing.',
    effect: 'reads',
    input: {
      definition: definition.optional(),
      flow_id: flowId.describe('The stored flow, when there is no definition').optional(),
      version: version.describe('Version of the stored flow; default: the latest').optional(),
    },
    output: {
      valid: z.boolean(),
      findings,
      required_variables: z.array(z.string()).optional(),
      stats: z.looseObject({}).optional(),
    },
    run: async (services, { definition, flow_id = 'draft', version }, signal) => {
      const said = definition && services.validatesHere && validateHere(definition);
      if (said) return said;
      try {
        const { valid, required_variables, stats, ...all } = await services.flows.validateFlow(
          {
            flow_id,
            ...(definition ? { body: { definition: definition } } : {}),
            ...(version === undefined || definition ? {} : { version }),
          },
          { signal },
        );
        return { valid, findings: toFindings(all), required_variables, stats };
      } catch (error) {
        const refused = definition && toDefinitionFindings(error);
        if (refused) return refused;
        throw error;
      }
    },
  }),
  tool({
    name: 'save_draft',
    title: 'Save a draft',
    description:
      'Appends a version of a flow, or creates a flow when `base_version` is null. Publishes nothing. Refused when a newer version exists: read the flow again and merge.',
    effect: 'appends',
    input: {
      flow_id: flowId,
      definition,
      base_version: version.nullable().describe('The latest version that you read; null for a new flow'),
      name: text().optional(),
      note: text(500).describe('Reason, for the version ledger; not for a new flow').optional(),
    },
    output: flowHead,
    run: async ({ flows }, { flow_id, definition, base_version, name, note }, signal) => {
      const said = { definition: definition as never, ...(name ? { name } : {}) };
      const { version, validation } =
        base_version === null
          ? await flows.createFlow({ body: { ...said, flow_id } }, { signal })
          : await flows.updateFlow(
              { flow_id, body: { ...said, base_version, ...(note ? { note } : {}) } },
              { signal },
            );
      return { flow_id, version, valid: validation.valid, findings: toFindings(validation) };
    },
  }),
  tool({
    name: 'publish',
    title: 'Publish',
    description:
      'Publishes a version: callers get it immediately. Refused while it has errors or a stored test fails. Ask the user first.',
    effect: 'overwrites',
    input: { flow_id: flowId, version, reason: text(500).describe('Stored with the publication').optional() },
    output: { flow_id: z.string(), published_version: z.int().nullable() },
    run: async ({ flows }, { flow_id, version, reason }, signal) => {
      const body = { version, ...(reason ? { reason } : {}) };
      const { published_version } = await flows.publishFlow({ flow_id, body }, { signal });
      return { flow_id, published_version };
    },
  }),
];
