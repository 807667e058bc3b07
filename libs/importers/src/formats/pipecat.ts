// Pipecat Flows: nodes that talk, and functions that lead to other nodes. As the editor keeps them, or as a static configuration.
import { jsonPointer } from '@parley/envelopes';
import type { AuthoredNode } from '@parley/flow-engine';
import { bindingsOf, toolOf } from '../agents.ts';
import { converse, speak, type Exit, type Extracted } from '../converse.ts';
import { approximated, drawnAt, mapped, type Draft, type EdgeCondition, type Made } from '../draft.ts';
import { allMembers, at, firstText, isMembers, membersOf, textOf, type Members } from '../source.ts';
import { argumentsOf, template, variableName } from '../words.ts';

export const isPipecat = (source: Members): boolean =>
  nodesOf(source).some(({ node }) => 'task_messages' in node);

interface Placed {
  readonly name: string;
  readonly type: string;
  readonly node: Members;
  readonly pointer: string;
  readonly drawn: object;
}

function nodesOf(source: Members): readonly Placed[] {
  if (Array.isArray(source['nodes']))
    return allMembers(source['nodes']).map((outer, index) => ({
      name: textOf(outer['id']),
      type: firstText(outer['type'], 'node'),
      node: membersOf(outer['data']),
      pointer: jsonPointer(['nodes', index]),
      drawn: drawnAt(outer['position']),
    }));
  return Object.entries(membersOf(source['nodes'])).map(([name, node]) => ({
    name,
    type: name === source['initial_node'] ? 'initial' : 'node',
    node: membersOf(node),
    pointer: jsonPointer(['nodes', name]),
    drawn: {},
  }));
}

export function readPipecat(source: Members, draft: Draft): void {
  draft.name = firstText(at(source, 'meta', 'name'), source['name']) || null;
  const nodes = nodesOf(source);
  const role = nodes
    .map(({ node }) => contentOf(node['role_messages'] ?? node['role_message']))
    .find((text) => text !== '');
  if (role !== undefined) draft.add({ id: draft.id('persona'), type: 'global', prompt: template(role) });
  const ids = new Map<string, string>();
  for (const { name } of nodes) if (!ids.has(name)) ids.set(name, draft.id(name));
  draft.start = ids.get(nodes.find(({ type }) => type === 'initial')?.name ?? '') ?? null;
  for (const placed of nodes) {
    const { name, type, node } = placed;
    const made = makeNode(draft, placed, ids.get(name)!, ids);
    const what = { pointer: placed.pointer, name: firstText(node['label'], name), type };
    draft.report(what, made);
  }
}

function makeNode(
  draft: Draft,
  { type, node, drawn }: Placed,
  id: string,
  ids: ReadonlyMap<string, string>,
): Made {
  const instruction = template(contentOf(node['task_messages']));
  const said = allMembers(node['pre_actions']).flatMap(({ type: does, text }) =>
    does === 'tts_say' ? [template(textOf(text))] : [],
  );
  const functions = functionsOf(node);
  const over = allMembers(node['post_actions']).some(({ type: does }) => does === 'end_conversation');
  if (type === 'end' || (over && functions.length === 0))
    return mapped(...speak(draft, { id, says: said.join(' '), instruction, drawn }, 'end'));
  const exits: Exit[] = [];
  const tools: AgentToolLike[] = [];
  for (const one of functions) {
    const target = targetOf(draft, one, ids);
    const description = firstText(one['description'], one['name']);
    if (target === null) tools.push({ name: textOf(one['name']), description, parameters: schemaOf(one) });
    else exits.push({ condition: { nl: description }, target });
  }
  const agent = bindingsOf(tools.map((tool) => toolOf({ ...tool, type: 'function', target: '', url: '' })));
  const extraction = functions.flatMap((one) => extractedOf(schemaOf(one)));
  const talk = { id, says: said.join(' '), instruction, drawn, extraction, agent };
  return approximated(
    'a model talks until it calls a function: here each answer is judged',
    ...converse(draft, talk, exits, null),
  );
}

interface AgentToolLike {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** Of the editor they stand as they are, in a static configuration each in the envelope of a provider. */
const functionsOf = (node: Members): readonly Members[] =>
  allMembers(node['functions']).map((one) =>
    isMembers(one['function'])
      ? one['function']
      : isMembers(allMembers(one['function_declarations'])[0])
        ? allMembers(one['function_declarations'])[0]!
        : one,
  );

const schemaOf = (one: Members): Members =>
  isMembers(one['parameters'])
    ? one['parameters']
    : { type: 'object', properties: membersOf(one['properties']) };

/** Where a function leads; one that decides by its result is a tool that is waited for. */
function targetOf(draft: Draft, one: Members, ids: ReadonlyMap<string, string>): string | null {
  const next = ids.get(firstText(one['next_node_id'], one['transition_to'], at(one, 'next_node'))) ?? null;
  const decision = membersOf(one['decision']);
  const otherwise = ids.get(textOf(decision['default_next_node_id'])) ?? next;
  const ways = allMembers(decision['conditions']).flatMap(({ operator, value, next_node_id }) => {
    const target = ids.get(textOf(next_node_id));
    const op = operators.get(textOf(operator));
    return target === undefined || op === undefined ? [] : [{ op, value, target }];
  });
  if (ways.length === 0 || otherwise === null) return next;
  const name = firstText(one['name'], 'function');
  const result = variableName(`${name}_result`) ?? 'result';
  const tool: AuthoredNode = {
    id: draft.id(name),
    type: 'tool',
    tool: name,
    args: argumentsOf(schemaOf(one)),
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

const contentOf = (messages: unknown): string =>
  textOf(messages) ||
  allMembers(messages)
    .map(({ content }) => textOf(content))
    .filter((text) => text !== '')
    .join('\n\n');

const extractedOf = (schema: Members): Extracted[] =>
  Object.entries(membersOf(schema['properties'])).flatMap(([property, of]) => {
    const name = variableName(property);
    const description = textOf(at(of, 'description'));
    if (name === null) return [];
    return [{ name, type: textOf(at(of, 'type')), ...(description === '' ? {} : { description }) }];
  });
