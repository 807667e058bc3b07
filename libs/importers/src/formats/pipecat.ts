// Imports Pipecat Flows, as stored by the editor or as a static configuration: nodes that talk,
// functions that lead to other nodes.
import { jsonPointer } from '@parley/envelopes';
import type { AuthoredNode } from '@parley/flow-engine';
import { toBindings, toAgentTool } from '../agents.ts';
import { addTalk, addSpeech, type Exit, type Extraction } from '../converse.ts';
import {
  approximated,
  toPosition,
  mapped,
  type Draft,
  type EdgeCondition,
  type NodeOutcome,
} from '../draft.ts';
import { toMembersList, getMember, findText, isMembers, toMembers, toText, type Members } from '../source.ts';
import { toArguments, toTemplate, toVariableName } from '../words.ts';

export const isPipecat = (source: Members): boolean =>
  listNodes(source).some(({ node }) => Array.isArray(node['task_messages']));

interface PlacedNode {
  readonly name: string;
  readonly type: string;
  readonly node: Members;
  readonly pointer: string;
  readonly drawn: object;
}

function listNodes(source: Members): readonly PlacedNode[] {
  if (Array.isArray(source['nodes']))
    return toMembersList(source['nodes']).map((outer, index) => ({
      name: toText(outer['id']),
      type: findText(outer['type'], 'node'),
      node: toMembers(outer['data']),
      pointer: jsonPointer(['nodes', index]),
      drawn: toPosition(outer['position']),
    }));
  return Object.entries(toMembers(source['nodes'])).map(([name, node]) => ({
    name,
    type: name === source['initial_node'] ? 'initial' : 'node',
    node: toMembers(node),
    pointer: jsonPointer(['nodes', name]),
    drawn: {},
  }));
}

export function readPipecat(source: Members, draft: Draft): void {
  draft.name = findText(getMember(source, 'meta', 'name'), source['name']) || null;
  const nodes = listNodes(source);
  const role = nodes
    .map(({ node }) => joinContent(node['role_messages'] ?? node['role_message']))
    .find((text) => text !== '');
  if (role !== undefined) draft.add({ id: draft.id('persona'), type: 'global', prompt: toTemplate(role) });
  const ids = new Map<string, string>();
  for (const { name } of nodes) if (!ids.has(name)) ids.set(name, draft.id(name));
  draft.start = ids.get(nodes.find(({ type }) => type === 'initial')?.name ?? '') ?? null;
  for (const placed of nodes) {
    const { name, type, node } = placed;
    const made = makeNode(draft, placed, ids.get(name)!, ids);
    const what = { pointer: placed.pointer, name: findText(node['label'], name), type };
    draft.report(what, made);
  }
}

function makeNode(
  draft: Draft,
  { type, node, drawn }: PlacedNode,
  id: string,
  ids: ReadonlyMap<string, string>,
): NodeOutcome {
  const instruction = toTemplate(joinContent(node['task_messages']));
  const said = toMembersList(node['pre_actions']).flatMap(({ type: does, text }) =>
    does === 'tts_say' ? [toTemplate(toText(text))] : [],
  );
  const functions = listFunctions(node);
  const over = toMembersList(node['post_actions']).some(({ type: does }) => does === 'end_conversation');
  if (type === 'end' || (over && functions.length === 0))
    return mapped(...addSpeech(draft, { id, says: said.join(' '), instruction, drawn }, 'end'));
  const exits: Exit[] = [];
  const tools: AgentToolLike[] = [];
  for (const one of functions) {
    const target = findTarget(draft, one, ids);
    const description = findText(one['description'], one['name']);
    if (target === null) tools.push({ name: toText(one['name']), description, parameters: getSchema(one) });
    else exits.push({ condition: { nl: description, ...toLabel(one['name']) }, target });
  }
  const agent = toBindings(
    tools.map((tool) => toAgentTool({ ...tool, type: 'function', target: '', url: '' })),
  );
  const extraction = functions.flatMap((one) => listExtractions(getSchema(one)));
  const talk = { id, says: said.join(' '), instruction, drawn, extraction, agent };
  return approximated(
    'a model talks until it calls a function; Parley judges each answer',
    ...addTalk(draft, talk, exits, null),
  );
}

const toLabel = (name: unknown) => (toText(name) === '' ? {} : { label: toText(name) });

interface AgentToolLike {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** The editor stores them plain, a static configuration in a provider's envelope. */
const listFunctions = (node: Members): readonly Members[] =>
  toMembersList(node['functions']).map((one) =>
    isMembers(one['function'])
      ? one['function']
      : isMembers(toMembersList(one['function_declarations'])[0])
        ? toMembersList(one['function_declarations'])[0]!
        : one,
  );

const getSchema = (one: Members): Members =>
  isMembers(one['parameters'])
    ? one['parameters']
    : { type: 'object', properties: toMembers(one['properties']) };

/** A function's target node. A function that decides by its result becomes a tool with a wait. */
function findTarget(draft: Draft, one: Members, ids: ReadonlyMap<string, string>): string | null {
  const next =
    ids.get(findText(one['next_node_id'], one['transition_to'], getMember(one, 'next_node'))) ?? null;
  const decision = toMembers(one['decision']);
  const otherwise = ids.get(toText(decision['default_next_node_id'])) ?? next;
  const ways = toMembersList(decision['conditions']).flatMap(({ operator, value, next_node_id }) => {
    const target = ids.get(toText(next_node_id));
    const op = operators.get(toText(operator));
    return target === undefined || op === undefined ? [] : [{ op, value, target }];
  });
  if (ways.length === 0 || otherwise === null) return next;
  const name = findText(one['name'], 'function');
  const result = toVariableName(`${name}_result`) ?? 'result';
  const tool: AuthoredNode = {
    id: draft.id(name),
    type: 'tool',
    tool: name,
    args: toArguments(getSchema(one)),
    wait_for_result: true,
    output_var: result,
  };
  draft.add(tool);
  for (const { op, value, target } of ways) {
    const condition: EdgeCondition = { variable: result, op, ...(op.endsWith('empty') ? {} : { value }) };
    draft.join(tool.id, target, condition);
  }
  draft.join(tool.id, otherwise);
  return tool.id;
}

const operators = new Map(
  Object.entries({
    '==': 'eq',
    '!=': 'neq',
    '>': 'gt',
    '>=': 'gte',
    '<': 'lt',
    '<=': 'lte',
    in: 'in',
    'not in': 'not_in',
    not: 'empty',
  }),
);

const joinContent = (messages: unknown): string =>
  toText(messages) ||
  toMembersList(messages)
    .map(({ content }) => toText(content))
    .filter((text) => text !== '')
    .join('\n\n');

const listExtractions = (schema: Members): Extraction[] =>
  Object.entries(toMembers(schema['properties'])).flatMap(([property, of]) => {
    const name = toVariableName(property);
    const description = toText(getMember(of, 'description'));
    if (name === null) return [];
    return [{ name, type: toText(getMember(of, 'type')), ...(description === '' ? {} : { description }) }];
  });
