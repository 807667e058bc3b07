// Imports Vapi workflows, whose nodes talk until an edge matches, and squads of assistants that
// hand over.
import { jsonPointer } from '@parley/envelopes';
import { groupBy } from '@parley/flow-analysis';
import { addAgents, type Agent } from '../agents.ts';
import { UNREAD_CONDITION, readCondition } from '../conditions.ts';
import {
  addTalk,
  enterFromAnywhere,
  addExits,
  addPassage,
  addSpeech,
  type Exit,
  type Extraction,
} from '../converse.ts';
import {
  approximated,
  toPosition,
  dropped,
  mapped,
  type Draft,
  type EdgeCondition,
  type NodeOutcome,
} from '../draft.ts';
import {
  toMembersList,
  getMember,
  findText,
  isMembers,
  toList,
  toMembers,
  toText,
  type Members,
} from '../source.ts';
import { toTemplate, toVariableName } from '../words.ts';
import { addTool, getDestination, getStartMessage, getTool, toTool } from './vapi-tools.ts';

export const isVapi = (source: Members): boolean =>
  isSquad(source) || isAssistant(source) || isWorkflow(source);

const isSquad = (source: Members): boolean =>
  toMembersList(source['members']).some(
    ({ assistant, assistantId }) => isMembers(assistant) || typeof assistantId === 'string',
  );

/** Every model of an assistant names its provider. */
const isAssistant = (source: Members): boolean =>
  isMembers(source['model']) &&
  typeof source['model']['provider'] === 'string' &&
  ('firstMessage' in source || Array.isArray(source['model']['messages']));

const nodeTypes: ReadonlySet<unknown> = new Set(
  'start conversation assistant gather say hangup end transfer apiRequest tool'.split(' '),
);

/** Other products have nodes with names and types, too: the types and the edges tell them apart. */
const isWorkflow = (source: Members): boolean =>
  Array.isArray(source['nodes']) &&
  Array.isArray(source['edges']) &&
  toMembersList(source['edges']).every(
    ({ from, to }) => typeof from === 'string' && typeof to === 'string',
  ) &&
  toMembersList(source['nodes']).some(({ name, type }) => typeof name === 'string' && nodeTypes.has(type));

export function readVapi(source: Members, draft: Draft): void {
  draft.name = toText(source['name']) || null;
  draft.speak(getMember(source, 'transcriber', 'language'));
  if (isSquad(source)) readSquad(source, draft);
  else if (isAssistant(source)) addAgents(draft, toSquad(source));
  else readWorkflow(source, draft);
}

// Squads and assistants

function readSquad(source: Members, draft: Draft): void {
  const agents = toMembersList(source['members']).map((member, index): Agent => {
    const assistant = toMembers(member['assistant']);
    const agent = toAgent(assistant, jsonPointer(['members', index]));
    const destinations = toMembersList(member['assistantDestinations']).map((destination) => ({
      to: toText(destination['assistantName']),
      nl: toText(destination['description']),
    }));
    return {
      ...agent,
      name: agent.name || toText(member['assistantId']) || 'assistant',
      exits: [...agent.exits, ...destinations],
    };
  });
  addAgents(draft, { agents, persona: '', shared: [], start: '' });
}

const toSquad = (source: Members) => ({
  agents: [toAgent(source, '')],
  persona: '',
  shared: [],
  start: '',
});

function toAgent(assistant: Members, where: string): Agent {
  const model = toMembers(assistant['model']);
  const tools = [...toMembersList(model['tools']), ...toMembersList(assistant['tools'])];
  const system = toMembersList(model['messages']).filter(({ role }) => role === 'system');
  const handovers = tools.filter(({ type }) => type === 'handoff');
  return {
    pointer: where,
    name: toText(assistant['name']),
    type: 'assistant',
    says: toTemplate(toText(assistant['firstMessage'])),
    instruction: toTemplate(
      findText(
        system.map(({ content }) => toText(content)).join('\n\n'),
        model['systemPrompt'],
        model['systemMessage'],
      ),
    ),
    tools: tools.filter((tool) => !handovers.includes(tool)).map(toTool),
    exits: handovers
      .flatMap(({ destinations }) => toMembersList(destinations))
      .map(({ assistantName, description }) => ({ to: toText(assistantName), nl: toText(description) })),
  };
}

// Workflows

function readWorkflow(source: Members, draft: Draft): void {
  const nodes = toMembersList(source['nodes']);
  const edges = groupBy(toMembersList(source['edges']), ({ from }) => toText(from));
  const ids = new Map<string, string>();
  for (const { name } of nodes) if (!ids.has(toText(name))) ids.set(toText(name), draft.id(toText(name)));
  const persona = toTemplate(toText(source['globalPrompt']));
  if (persona !== '') draft.add({ id: draft.id('persona'), type: 'global', prompt: persona });
  const start = nodes.find(({ isStart, type }) => isStart === true || type === 'start') ?? nodes[0];
  draft.start = ids.get(toText(start?.['name'])) ?? null;

  nodes.forEach((node, index) => {
    const name = toText(node['name']);
    const { exits, then, lost } = toExits(edges.get(name) ?? [], ids);
    const made = makeNode(draft, node, ids.get(name)!, exits, then);
    const what = { pointer: jsonPointer(['nodes', index]), name, type: toText(node['type']) || 'unknown' };
    draft.report(
      what,
      lost && made.outcome === 'mapped' ? approximated(UNREAD_CONDITION, ...made.ids) : made,
    );
  });

  enterFromAnywhere(
    draft,
    nodes.flatMap((node): Exit[] => {
      const nl = findText(getMember(node, 'globalNodePlan', 'enterCondition'));
      const target = ids.get(toText(node['name']));
      const enabled = getMember(node, 'globalNodePlan', 'enabled') === true;
      return enabled && nl !== '' && target !== undefined ? [{ condition: { nl }, target }] : [];
    }),
  );
}

interface Exits {
  readonly exits: readonly Exit[];
  readonly then: string | null;
  /** A condition could not be read. */
  readonly lost: boolean;
}

function toExits(edges: readonly Members[], ids: ReadonlyMap<string, string>): Exits {
  const exits: Exit[] = [];
  let [then, lost]: [string | null, boolean] = [null, false];
  for (const { to, condition: when } of edges) {
    const target = ids.get(toText(to));
    const condition = parseCondition(when);
    if (target === undefined) continue;
    if (condition === 'always') then ??= target;
    else if (condition === null) lost = true;
    else exits.push({ condition, target });
  }
  return { exits, then, lost };
}

function parseCondition(when: unknown): EdgeCondition | 'always' | null {
  const prompt = findText(getMember(when, 'prompt'), getMember(when, 'value'), when);
  if (getMember(when, 'type') === 'failed') return { variable: '_tool_status', op: 'eq', value: 'error' };
  if (getMember(when, 'type') !== 'logic') return prompt === '' ? 'always' : { nl: prompt };
  const liquid = findText(getMember(when, 'liquid'), prompt);
  return readCondition(liquid.replace(/^\{[{%]-?\s*(?:if\s)?|\s*-?[%}]\}.*$/gsu, ''), {
    variable: (word) => (/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(word) ? toVariableName(word) : null),
  });
}

const knownTools: ReadonlySet<string> = new Set(['apiRequest', 'tool apiRequest', 'tool function', 'tool']);

function makeNode(
  draft: Draft,
  node: Members,
  id: string,
  exits: readonly Exit[],
  then: string | null,
): NodeOutcome {
  const drawn = toPosition(getMember(node, 'metadata', 'position') ?? node['position']);
  const tool = toMembers(node['tool']);
  const kind = `${toText(node['type'])} ${toText(tool['type'])}`.trim();
  const { says: opening, instruction: task } = toAgent(toMembers(node['assistant']), '');
  const said = findText(getMember(node, 'messagePlan', 'firstMessage'), node['exact'], node['message']);
  const says = toTemplate(said) || opening;
  const instruction = toTemplate(toText(node['prompt'])) || task;
  switch (kind) {
    case 'start':
      return mapped(addPassage(draft, id, exits, then, drawn));
    case 'conversation':
    case 'assistant':
    case 'gather': {
      const extraction = listExtractions(node);
      if (says === '' && instruction === '' && extraction.length === 0)
        return mapped(addPassage(draft, id, exits, then, drawn));
      const goal = instruction || (says === '' ? toPrompt(extraction) : '');
      const ids = addTalk(draft, { id, says, instruction: goal, drawn, extraction }, exits, then);
      return goal === '' && exits.every(({ condition }) => condition.nl === undefined)
        ? mapped(...ids)
        : approximated('a model talks until an edge matches; Parley judges each answer', ...ids);
    }
    case 'say': {
      const ids = addSpeech(draft, { id, says, instruction, drawn }, 'message');
      addExits(draft, ids.at(-1)!, exits, then);
      return mapped(...ids);
    }
    case 'hangup':
    case 'end':
    case 'tool endCall':
      return mapped(
        ...addSpeech(draft, { id, says: says || getStartMessage(draft, tool), instruction, drawn }, 'end'),
      );
    case 'transfer':
    case 'tool transferCall':
    case 'tool handoff': {
      const target = toTemplate(findText(getDestination(node), getDestination(tool), id));
      const message =
        says ||
        getStartMessage(draft, tool) ||
        toTemplate(toText(getMember(tool, 'destinations', 0, 'message')));
      const returns = exits.length > 0 || then !== null;
      const members = { target, ...(returns ? { returns: true } : {}) };
      const ids = addSpeech(draft, { id, says: message, instruction, drawn }, 'handoff', members);
      if (returns) addExits(draft, ids.at(-1)!, exits, then);
      return mapped(...ids);
    }
    default:
      if (knownTools.has(kind)) return addTool(draft, getTool(node), node, id, { exits, then, drawn });
      return dropped('no equivalent in Parley', addPassage(draft, id, exits, then, drawn));
  }
}

function listExtractions(node: Members): Extraction[] {
  const listed = toMembersList(getMember(node, 'variableExtractionPlan', 'output'));
  const schema = firstSchema(getMember(node, 'variableExtractionPlan', 'schema'), node['output']);
  const named = Object.entries(toMembers(getMember(schema, 'properties'))).map(([title, of]) => ({
    ...toMembers(of),
    title,
  }));
  return [...listed, ...named].flatMap((one: Members) => {
    const name = toVariableName(findText(one['title'], one['name']));
    const description = toText(one['description']);
    if (name === null) return [];
    const choices = toList(one['enum'])
      .map(toText)
      .filter((choice) => choice !== '');
    return [{ name, type: toText(one['type']), choices, ...(description === '' ? {} : { description }) }];
  });
}

const firstSchema = (...schemas: readonly unknown[]): unknown =>
  schemas.find((schema) => isMembers(getMember(schema, 'properties')));

const toPrompt = (extraction: readonly Extraction[]): string =>
  extraction.length === 0 ? '' : `Ask for: ${extraction.map(({ name }) => name).join(', ')}.`;
