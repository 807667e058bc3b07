// Vapi: workflows, whose nodes talk until an edge holds, and squads, whose assistants hand over to each other.
import { jsonPointer } from '@parley/envelopes';
import { groupBy, type AuthoredNode } from '@parley/flow-engine';
import { agentsOf, toolOf, type Agent, type AgentTool } from '../agents.ts';
import { notRead, readCondition } from '../conditions.ts';
import { converse, enterFromAnywhere, leave, passOn, speak, type Exit, type Extracted } from '../converse.ts';
import {
  approximated,
  drawnAt,
  dropped,
  mapped,
  type Draft,
  type EdgeCondition,
  type Made,
} from '../draft.ts';
import { allMembers, at, firstText, isMembers, membersOf, textOf, type Members } from '../source.ts';
import { argumentsOf, template, templates, variableName } from '../words.ts';

export const isVapi = (source: Members): boolean =>
  isSquad(source) || isAssistant(source) || isWorkflow(source);

const isSquad = (source: Members): boolean =>
  allMembers(source['members']).some((member) => isMembers(member['assistant']) || 'assistantId' in member);

const isAssistant = (source: Members): boolean =>
  isMembers(source['model']) && ('firstMessage' in source || Array.isArray(source['model']['messages']));

const isWorkflow = (source: Members): boolean =>
  Array.isArray(source['nodes']) &&
  allMembers(source['edges']).every(({ from, to }) => typeof from === 'string' && typeof to === 'string') &&
  allMembers(source['nodes']).some(({ name, type }) => typeof name === 'string' && typeof type === 'string');

export function readVapi(source: Members, draft: Draft): void {
  draft.name = textOf(source['name']) || null;
  if (isSquad(source)) readSquad(source, draft);
  else if (isAssistant(source)) agentsOf(draft, alone(source));
  else readWorkflow(source, draft);
}

// Squads and assistants

function readSquad(source: Members, draft: Draft): void {
  const agents = allMembers(source['members']).map((member, index): Agent => {
    const assistant = membersOf(member['assistant']);
    const agent = agentOf(assistant, jsonPointer(['members', index]));
    const destinations = allMembers(member['assistantDestinations']).map((destination) => ({
      to: textOf(destination['assistantName']),
      nl: textOf(destination['description']),
    }));
    return {
      ...agent,
      name: agent.name || textOf(member['assistantId']) || 'assistant',
      exits: [...agent.exits, ...destinations],
    };
  });
  agentsOf(draft, { agents, persona: '', shared: [], start: '' });
}

const alone = (source: Members) => ({
  agents: [agentOf(source, '')],
  persona: '',
  shared: [],
  start: '',
});

function agentOf(assistant: Members, where: string): Agent {
  const model = membersOf(assistant['model']);
  const tools = [...allMembers(model['tools']), ...allMembers(assistant['tools'])];
  const system = allMembers(model['messages']).filter(({ role }) => role === 'system');
  const handovers = tools.filter(({ type }) => type === 'handoff');
  return {
    pointer: where,
    name: textOf(assistant['name']),
    type: 'assistant',
    says: template(textOf(assistant['firstMessage'])),
    instruction: template(
      firstText(system.map(({ content }) => textOf(content)).join('\n\n'), model['systemPrompt']),
    ),
    tools: tools.filter((tool) => !handovers.includes(tool)).map(toolFrom),
    exits: handovers
      .flatMap(({ destinations }) => allMembers(destinations))
      .map(({ assistantName, description }) => ({ to: textOf(assistantName), nl: textOf(description) })),
  };
}

const toolFrom = (tool: Members): AgentTool =>
  toolOf({
    type: textOf(tool['type']),
    name: firstText(at(tool, 'function', 'name'), tool['name'], tool['type']),
    description: firstText(at(tool, 'function', 'description'), tool['description']),
    parameters: at(tool, 'function', 'parameters'),
    target: destinationOf(tool),
    url: firstText(at(tool, 'server', 'url'), tool['url']),
  });

const destinationOf = (tool: unknown): string => {
  const first = at(tool, 'destinations', 0) ?? at(tool, 'destination');
  return firstText(at(first, 'number'), at(first, 'sipUri'), at(first, 'assistantName'), first);
};

// Workflows

function readWorkflow(source: Members, draft: Draft): void {
  const nodes = allMembers(source['nodes']);
  const edges = groupBy(allMembers(source['edges']), ({ from }) => textOf(from));
  const ids = new Map<string, string>();
  for (const { name } of nodes) if (!ids.has(textOf(name))) ids.set(textOf(name), draft.id(textOf(name)));
  const persona = template(textOf(source['globalPrompt']));
  if (persona !== '') draft.add({ id: draft.id('persona'), type: 'global', prompt: persona });
  const start = nodes.find(({ isStart, type }) => isStart === true || type === 'start') ?? nodes[0];
  draft.start = ids.get(textOf(start?.['name'])) ?? null;

  nodes.forEach((node, index) => {
    const name = textOf(node['name']);
    const { exits, then, lost } = waysOf(edges.get(name) ?? [], ids);
    const made = makeNode(draft, node, ids.get(name)!, exits, then);
    const what = { pointer: jsonPointer(['nodes', index]), name, type: textOf(node['type']) || 'unknown' };
    draft.report(what, lost && made.outcome === 'mapped' ? approximated(notRead, ...made.ids) : made);
  });

  enterFromAnywhere(
    draft,
    nodes.flatMap((node): Exit[] => {
      const nl = firstText(at(node, 'globalNodePlan', 'enterCondition'));
      const target = ids.get(textOf(node['name']));
      const enabled = at(node, 'globalNodePlan', 'enabled') === true;
      return enabled && nl !== '' && target !== undefined ? [{ condition: { nl }, target }] : [];
    }),
  );
}

interface Ways {
  readonly exits: readonly Exit[];
  readonly then: string | null;
  /** A condition was not read. */
  readonly lost: boolean;
}

function waysOf(edges: readonly Members[], ids: ReadonlyMap<string, string>): Ways {
  const exits: Exit[] = [];
  let [then, lost]: [string | null, boolean] = [null, false];
  for (const { to, condition: when } of edges) {
    const target = ids.get(textOf(to));
    const condition = conditionFrom(when);
    if (target === undefined) continue;
    if (condition === 'always') then ??= target;
    else if (condition === null) lost = true;
    else exits.push({ condition, target });
  }
  return { exits, then, lost };
}

function conditionFrom(when: unknown): EdgeCondition | 'always' | null {
  const prompt = firstText(at(when, 'prompt'), at(when, 'value'), when);
  if (at(when, 'type') === 'failed') return { variable: '_tool_status', op: 'eq', value: 'error' };
  if (at(when, 'type') !== 'logic') return prompt === '' ? 'always' : { nl: prompt };
  const liquid = firstText(at(when, 'liquid'), prompt);
  return readCondition(liquid.replace(/^\{[{%]-?\s*(?:if\s)?|\s*-?[%}]\}.*$/gsu, ''), {
    variable: (word) => (/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(word) ? variableName(word) : null),
  });
}

function makeNode(
  draft: Draft,
  node: Members,
  id: string,
  exits: readonly Exit[],
  then: string | null,
): Made {
  const drawn = drawnAt(at(node, 'metadata', 'position') ?? node['position']);
  const tool = membersOf(node['tool']);
  const kind = `${textOf(node['type'])} ${textOf(tool['type'])}`.trim();
  const says = template(firstText(at(node, 'messagePlan', 'firstMessage'), node['exact'], node['message']));
  const instruction = template(textOf(node['prompt']));
  switch (kind) {
    case 'start':
      return mapped(passOn(draft, id, exits, then, drawn));
    case 'conversation':
    case 'assistant':
    case 'gather': {
      const extraction = extractedOf(node);
      if (says === '' && instruction === '' && extraction.length === 0)
        return mapped(passOn(draft, id, exits, then, drawn));
      const task = instruction || (says === '' ? askFor(extraction) : '');
      const ids = converse(draft, { id, says, instruction: task, drawn, extraction }, exits, then);
      return task === '' && exits.every(({ condition }) => condition.nl === undefined)
        ? mapped(...ids)
        : approximated('a model talks until an edge holds: here each answer is judged', ...ids);
    }
    case 'say': {
      const ids = speak(draft, { id, says, instruction, drawn }, 'message');
      leave(draft, ids.at(-1)!, exits, then);
      return mapped(...ids);
    }
    case 'hangup':
    case 'end':
    case 'tool endCall':
      return mapped(...speak(draft, { id, says: says || spoken(tool), instruction, drawn }, 'end'));
    case 'transfer':
    case 'tool transferCall':
    case 'tool handoff': {
      const target = template(firstText(destinationOf(node), destinationOf(tool), id));
      const message = says || spoken(tool) || template(textOf(at(tool, 'destinations', 0, 'message')));
      const returns = exits.length > 0 || then !== null;
      const members = { target, ...(returns ? { returns: true } : {}) };
      const ids = speak(draft, { id, says: message, instruction, drawn }, 'handoff', members);
      if (returns) leave(draft, ids.at(-1)!, exits, then);
      return mapped(...ids);
    }
    case 'apiRequest':
    case 'tool apiRequest':
    case 'tool function':
    case 'tool':
      return makeTool(draft, kind === 'apiRequest' ? node : tool, node, id, { exits, then, drawn });
    default:
      return dropped('nothing here does what it does', passOn(draft, id, exits, then, drawn));
  }
}

function makeTool(
  draft: Draft,
  tool: Members,
  node: Members,
  id: string,
  { exits, then, drawn }: Pick<Ways, 'exits' | 'then'> & { readonly drawn: object },
): Made {
  const name = firstText(at(tool, 'function', 'name'), tool['name'], node['toolId'], node['name']);
  const url = textOf(tool['url']);
  const args = {
    ...argumentsOf(at(tool, 'function', 'parameters') ?? tool['body']),
    ...(url === '' ? {} : { url: template(url), method: firstText(tool['method'], 'POST') }),
    ...(isMembers(tool['headers']) && url !== ''
      ? { headers: templates(at(tool['headers'], 'properties') ?? {}) }
      : {}),
  };
  const result = variableName(`${name}_result`) ?? 'result';
  const made: AuthoredNode = {
    id,
    type: 'tool',
    tool: name,
    args,
    wait_for_result: true,
    output_var: result,
    ...drawn,
  };
  draft.add(made);
  leave(draft, id, exits, then);
  return url === '' ? mapped(id) : approximated('the caller makes the request, as a tool', id);
}

/** What a tool says when it begins. */
const spoken = (tool: Members): string =>
  template(
    firstText(
      ...allMembers(tool['messages']).map(({ content, type }) => (type === 'request-start' ? content : '')),
    ),
  );

function extractedOf(node: Members): Extracted[] {
  const listed = allMembers(at(node, 'variableExtractionPlan', 'output'));
  const schema = firstSchema(at(node, 'variableExtractionPlan', 'schema'), node['output']);
  const named = Object.entries(membersOf(at(schema, 'properties'))).map(([title, of]) => ({
    ...membersOf(of),
    title,
  }));
  return [...listed, ...named].flatMap((one: Members) => {
    const name = variableName(firstText(one['title'], one['name']));
    const description = textOf(one['description']);
    if (name === null) return [];
    return [{ name, type: textOf(one['type']), ...(description === '' ? {} : { description }) }];
  });
}

const firstSchema = (...schemas: readonly unknown[]): unknown =>
  schemas.find((schema) => isMembers(at(schema, 'properties')));

const askFor = (extraction: readonly Extracted[]): string =>
  extraction.length === 0 ? '' : `Ask for: ${extraction.map(({ name }) => name).join(', ')}.`;
