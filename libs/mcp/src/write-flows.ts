// Tools by which a flow is read, described, checked and saved (docs/mcp.md#tools).
import { definitionMembers, nodeTypes, type Member, type NodeType } from '@parley/flow-engine';
import { z } from 'zod';
import { findings, findingsOf, refusedDefinition, validateHere } from './findings.ts';
import { cursor, definition, flowId, items, limit, nextCursor, text, tool, version } from './tool.ts';

const flowHead = {
  flow_id: z.string(),
  version: z.int(),
  valid: z.boolean(),
  findings,
};

type Raw = Readonly<Record<string, unknown>>;

/** Only these nodes, and the edges that touch them. */
function partOf(whole: Raw, nodeIds: readonly string[]): Raw {
  const [nodes, edges] = [(whole['nodes'] ?? []) as Raw[], (whole['edges'] ?? []) as Raw[]];
  const meant: ReadonlySet<unknown> = new Set(nodeIds);
  const isMeant = (id: unknown) => meant.has(id);
  return {
    ...whole,
    nodes: nodes.filter(({ id }) => isMeant(id)),
    edges: edges.filter(({ source, target }) => isMeant(source) || isMeant(target)),
  };
}

export const writeFlows = [
  tool({
    name: 'list_flows',
    title: 'List flows',
    description: 'The flows of the organisation, newest first: ids, names and latest versions.',
    effect: 'reads',
    input: {
      q: text().describe('A part of the id or the name').optional(),
      published: z.boolean().describe('Only those that are live, or that are not').optional(),
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
      'A version of a flow with its definition and what validation says of it. Its `version` is the `base_version` of save_draft. Of a large flow ask for some nodes only.',
    effect: 'reads',
    input: {
      flow_id: flowId,
      version: z.union([z.enum(['latest', 'published']), version]).default('latest'),
      node_ids: z
        .array(text())
        .min(1)
        .max(100)
        .describe('Only these nodes and the edges that touch them; such a part cannot be saved')
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
        definition: node_ids ? partOf(stored.definition, node_ids) : stored.definition,
        findings: findingsOf(stored.validation),
      };
    },
  }),
  tool({
    name: 'describe_node_type',
    title: 'Describe a node type',
    description: 'What a type of node does, how many edges it may have, and every member that it reads.',
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
      'Everything that can be said of a definition, or of a stored version, without running it. Each finding has a JSON pointer and a hint. Errors keep a version from being published.',
    effect: 'reads',
    input: {
      definition: definition.optional(),
      flow_id: flowId.describe('Without a definition: the stored flow').optional(),
      version: version.describe('Of the stored flow; default: the latest').optional(),
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
        return { valid, findings: findingsOf(all), required_variables, stats };
      } catch (error) {
        const refused = definition && refusedDefinition(error);
        if (refused) return refused;
        throw error;
      }
    },
  }),
  tool({
    name: 'save_draft',
    title: 'Save a draft',
    description:
      'Appends a version of a flow, or makes a new flow where `base_version` is null. Nothing goes live by it. Refused where somebody else saved meanwhile: read the flow again and merge.',
    effect: 'appends',
    input: {
      flow_id: flowId,
      definition,
      base_version: version
        .nullable()
        .describe('The latest version as it was read; null: the flow does not exist yet'),
      name: text().optional(),
      note: text(500).describe('Why, for the ledger of versions; not for a new flow').optional(),
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
      return { flow_id, version, valid: validation.valid, findings: findingsOf(validation) };
    },
  }),
  tool({
    name: 'publish',
    title: 'Publish',
    description:
      'Lets a version go live for callers at once. Refused while it has errors, or while one of its stored tests fails. Ask the user before.',
    effect: 'overwrites',
    input: { flow_id: flowId, version, reason: text(500).describe('Kept with the publication').optional() },
    output: { flow_id: z.string(), published_version: z.int().nullable() },
    run: async ({ flows }, { flow_id, version, reason }, signal) => {
      const body = { version, ...(reason ? { reason } : {}) };
      const { published_version } = await flows.publishFlow({ flow_id, body }, { signal });
      return { flow_id, published_version };
    },
  }),
];
