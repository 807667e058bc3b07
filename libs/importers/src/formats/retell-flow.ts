// Imports conversation flows of Retell: nodes that talk until an edge matches.
import { jsonPointer } from '@parley/envelopes';
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { listToolExits, toBindings } from '../agents.ts';
import {
  addTalk,
  enterFromAnywhere,
  addExits,
  addPassage,
  addSpeech,
  type Exit,
  type Extraction,
} from '../converse.ts';
import { approximated, toPosition, dropped, mapped, type Draft, type NodeOutcome } from '../draft.ts';
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
import { toArguments, toTemplate, toVariableName } from '../words.ts';
import { parseCondition } from './retell-conditions.ts';
import { listTools, listVariables } from './retell-tools.ts';

/** Components within components. */
const DEPTH_MAX = 20;
const leads: ReadonlySet<unknown> = new Set(['conversation', 'subagent', 'press_digit']);
const leaves: ReadonlySet<unknown> = new Set(['end', 'transfer_call', 'agent_swap']);

interface ComponentUse {
  /** Where the component goes on. */
  readonly exit: string;
  readonly components: readonly Members[];
  readonly tools: ReadonlyMap<string, Members>;
  /** The components around it, itself included. */
  readonly within: readonly Members[];
  /** Those that were used before. */
  readonly used: Set<Members>;
  /** Its nodes are in the report already. */
  readonly isRepeated: boolean;
  readonly root: readonly (string | number)[];
}

/** A flow, or a component in the place where it is used. */
export class ConversationFlow {
  private readonly nodes: readonly Members[];
  private readonly tools: ReadonlyMap<string, Members>;
  private readonly ids = new Map<unknown, string>();
  private readonly extracting: ReadonlyMap<unknown, Members>;
  /** Of those, the ones whose variables a question or an agent before them reads. */
  private readonly heard = new Set<unknown>();
  /** Commands, those of components too. */
  private readonly entries: Exit[] = [];
  private readonly flow: Members;
  private readonly base: readonly (string | number)[];
  private readonly draft: Draft;
  /** Of a component: where it is used. */
  private readonly use: ComponentUse | null;

  constructor(
    flow: Members,
    base: readonly (string | number)[],
    draft: Draft,
    use: ComponentUse | null = null,
  ) {
    this.flow = flow;
    this.base = base;
    this.draft = draft;
    this.use = use;
    this.nodes = toMembersList(flow['nodes']);
    this.tools = new Map([
      ...(use?.tools ?? []),
      ...toMembersList(flow['tools']).map((tool) => [findText(tool['tool_id'], tool['name']), tool] as const),
    ]);
    this.extracting = new Map(
      this.nodes.filter(({ type }) => type === 'extract_dynamic_variables').map((node) => [node['id'], node]),
    );
    for (const node of this.nodes) if (isTalking(node)) this.extractedAfter(node, this.heard);
    for (const node of this.nodes)
      if (node['type'] !== 'note' && !this.ids.has(node['id']))
        this.ids.set(node['id'], draft.id(findText(node['name'], node['id'])));
  }

  read(): void {
    const { draft, flow } = this;
    const persona = toTemplate(toText(flow['global_prompt']));
    if (persona !== '') draft.add({ id: draft.id('persona'), type: 'global', prompt: persona });
    draft.start = this.ids.get(flow['start_node_id']) ?? null;
    this.addNodes();
    enterFromAnywhere(draft, this.entries);
  }

  private addNodes(): void {
    this.nodes.forEach((node, index) => {
      const made = this.make(node);
      const what = { name: findText(node['name'], node['id']), type: toText(node['type']) || 'unknown' };
      if (this.use?.isRepeated === true) return;
      this.draft.report({ pointer: jsonPointer([...this.base, 'nodes', index]), ...what }, made);
    });
    for (const node of this.nodes) {
      const nl = findText(getMember(node, 'global_node_setting', 'condition'));
      const target = this.ids.get(node['id']);
      if (nl !== '' && target !== undefined) this.entries.push({ condition: { nl }, target });
    }
  }

  /** Puts the nodes of a component in place of the node that uses it. */
  private makeComponent(node: Members, id: string, exits: Exit[], then: string | null, drawn: object) {
    const { draft, use, base } = this;
    const components = use?.components ?? toMembersList(this.flow['components']);
    const name = toText(node['component_id']);
    const component = components.find((one) =>
      [one['id'], one['component_id'], one['conversation_flow_component_id'], one['name']].includes(name),
    );
    const within = use?.within ?? [];
    if (name === '' || component === undefined || within.includes(component) || within.length >= DEPTH_MAX)
      return dropped(
        component === undefined ? `its component "${name}" is not in the document` : 'it contains itself',
        addPassage(draft, id, exits, then, drawn),
      );
    const used = use?.used ?? new Set<Members>();
    const part = new ConversationFlow(
      component,
      [...(use?.root ?? base), 'components', components.indexOf(component)],
      draft,
      {
        exit: draft.id(`${id}.done`),
        components,
        tools: this.tools,
        within: [...within, component],
        used,
        isRepeated: used.has(component),
        root: use?.root ?? base,
      },
    );
    used.add(component);
    const done = addPassage(draft, part.use!.exit, exits, then);
    const first = part.ids.get(component['start_node_id']) ?? part.ids.values().next().value ?? done;
    addPassage(draft, id, [], first, drawn);
    part.addNodes();
    this.entries.push(...part.entries);
    return approximated(
      'the nodes of its component stand in its place; what leads nowhere in it goes on behind it',
      id,
      done,
    );
  }

  private make(node: Members): NodeOutcome {
    const { draft } = this;
    const id = this.ids.get(node['id']);
    if (id === undefined) return dropped('a note for people');
    const drawn = toPosition(node['display_position']);
    const { exits, then } = this.exitsOf(node);
    const { says, instruction } = parseInstruction(node);
    switch (node['type']) {
      case 'conversation':
      case 'subagent': {
        const skip = this.leadsTo(node['skip_response_edge']);
        if (skip !== null) {
          const ids = addSpeech(draft, { id, says, instruction, drawn }, 'message');
          draft.join(ids.at(-1)!, skip);
          return instruction === '' ? mapped(...ids) : approximated('the words are an agent’s', ...ids);
        }
        if (says === '' && instruction === '') return mapped(addPassage(draft, id, exits, then, drawn));
        const tools = this.toolsOf(node);
        const agent: Partial<AuthoredNode> = { ...this.documentsOf(node), ...toBindings(tools) };
        const extraction = this.extractedAfter(node);
        const all = [...exits, ...listToolExits(draft, tools)];
        const ids = addTalk(draft, { id, says, instruction, drawn, extraction, agent }, all, then);
        return instruction === '' && exits.every(({ condition }) => condition.nl === undefined)
          ? mapped(...ids)
          : approximated('a model talks until an edge matches; Parley judges each answer', ...ids);
      }
      case 'end':
        return mapped(...addSpeech(draft, { id, says, instruction, drawn }, 'end'));
      case 'logic_split':
      case 'branch':
        return mapped(addPassage(draft, id, exits, then, drawn));
      case 'extract_dynamic_variables': {
        const names = listVariables(node['variables']).map(({ name }) => name);
        const reason = this.heard.has(node['id'])
          ? 'the answers that lead here are read for its variables'
          : `no answer is read for its variables: ${names.join(', ')}`;
        return approximated(reason, addPassage(draft, id, exits, then, drawn));
      }
      case 'component':
        return this.makeComponent(node, id, exits, then, drawn);
      case 'press_digit':
        return approximated(
          'the pressed keys are an answer in digits',
          ...addTalk(draft, { id, says: says || instruction, instruction: '', drawn }, exits, then),
        );
      case 'function':
        return this.makeFunction(node, id, exits, then, drawn);
      case 'code':
        return approximated(
          'the caller runs its code as a tool',
          this.addTool(id, findText(node['name'], 'code'), toCode(node['code']), exits, then, drawn),
        );
      case 'mcp': {
        const { run, before } = this.speakBefore(node, id, drawn);
        const tool = findText(node['mcp_tool_name'], node['name'], 'mcp');
        const members = { ...readResponse(node, 'mcp_result'), ...(before.length === 0 ? drawn : {}) };
        const made = this.addTool(run, tool, {}, exits, then, members);
        return approximated('the caller runs it as a tool', ...before, made);
      }
      case 'sms': {
        const args = { text: says || instruction };
        return approximated(
          'the caller sends it, as a tool',
          this.addTool(id, 'send_sms', args, exits, then, drawn),
        );
      }
      case 'transfer_call':
      case 'agent_swap': {
        const target = findText(
          getMember(node, 'transfer_destination', 'number'),
          getMember(node, 'transfer_destination', 'prompt'),
          node['agent_id'],
          node['name'],
        );
        const returns = exits.length > 0 || then !== null ? { returns: true } : {};
        const ids = addSpeech(draft, { id, says, instruction, drawn }, 'handoff', {
          target: toTemplate(target),
          ...returns,
        });
        if ('returns' in returns) addExits(draft, ids.at(-1)!, exits, then);
        return mapped(...ids);
      }
      default:
        return dropped('no equivalent in Parley', addPassage(draft, id, exits, then, drawn));
    }
  }

  private makeFunction(
    node: Members,
    id: string,
    exits: Exit[],
    then: string | null,
    drawn: object,
  ): NodeOutcome {
    const tool = this.tools.get(toText(node['tool_id'])) ?? {};
    const name = findText(tool['name'], node['tool_id'], node['name'], 'function');
    const args = toArguments(tool['parameters']);
    const waits = node['wait_for_result'] !== false;
    const result = toVariableName(`${name}_result`) ?? 'result';
    const { run, before } = this.speakBefore(node, id, drawn);
    this.addTool(run, name, args, exits, then, {
      ...(before.length === 0 ? drawn : {}),
      ...(waits ? readResponse(tool, result) : { wait_for_result: false }),
    });
    return Object.keys(args).length === 0
      ? mapped(...before, run)
      : approximated('its arguments are variables of the same names; no model extracts them', ...before, run);
  }

  /** Retell speaks it while the tool runs; Parley speaks it before. */
  private speakBefore(node: Members, id: string, drawn: object) {
    const { says, instruction } = parseInstruction(node);
    if (node['speak_during_execution'] !== true || (says === '' && instruction === ''))
      return { run: id, before: [] };
    const before = addSpeech(this.draft, { id, says, instruction, drawn }, 'message');
    const run = this.draft.id(`${id}.run`);
    this.draft.join(before.at(-1)!, run);
    return { run, before };
  }

  private addTool(
    id: string,
    tool: string,
    args: object,
    exits: readonly Exit[],
    then: string | null,
    members: object,
  ): string {
    this.draft.add({ id, type: 'tool', tool, args, wait_for_result: true, ...members } as AuthoredNode);
    addExits(this.draft, id, exits, then);
    return id;
  }

  /** Its own tools, and those of the flow that it names. */
  private toolsOf(node: Members) {
    const named = toList(node['tool_ids']).flatMap((id) => this.tools.get(toText(id)) ?? []);
    return listTools([...named, ...toList(node['tools'])]);
  }

  private documentsOf(node: Members): Partial<AuthoredNode> {
    return toDocuments(toList(node['knowledge_base_ids']).length > 0 ? node : this.flow);
  }

  /** An edge of a component that names no node leaves it. */
  private leadsTo(edge: unknown): string | null {
    const to = getMember(edge, 'destination_node_id');
    const leaves = isMembers(edge) && toText(to) === '';
    return this.ids.get(to) ?? (leaves ? (this.use?.exit ?? null) : null);
  }

  private exitsOf(node: Members): { exits: Exit[]; then: string | null } {
    const exits: Exit[] = [];
    const then =
      ['always_edge', 'else_edge', 'edge', 'success_edge']
        .map((member) => this.leadsTo(node[member]))
        .find((to) => to !== null) ?? null;
    const failed = this.leadsTo(node['failed_edge']);
    if (failed !== null)
      exits.push({ condition: { variable: '_tool_status', op: 'eq', value: 'error' }, target: failed });
    for (const edge of toMembersList(node['edges'])) {
      const target = this.leadsTo(edge);
      const condition = parseCondition(edge['transition_condition']);
      if (target !== null && condition !== null) exits.push({ condition, target });
    }
    const back = toMembersList(getMember(node, 'global_node_setting', 'go_back_conditions'));
    for (const { transition_condition: when } of back) {
      const condition = parseCondition(when);
      if (condition !== null) exits.push({ condition, target: this.goBack() });
    }
    // In a component, what does not go on leaves it; a talk goes on while it has edges.
    const isLast = leads.has(node['type']) ? exits.length === 0 : !leaves.has(node['type']);
    return { exits, then: then ?? (isLast ? (this.use?.exit ?? null) : null) };
  }

  private back: string | null = null;
  private goBack(): string {
    return (this.back ??= this.draft.add({ id: this.draft.id('go_back'), type: 'end', resume: true }));
  }

  /** The variables that the next nodes extract from an answer, in order. */
  private extractedAfter(node: Members, seen = new Set<unknown>()): Extraction[] {
    const edges = [...toMembersList(node['edges']), node['always_edge'], node['else_edge']];
    return edges.flatMap((edge) => {
      const id = getMember(edge, 'destination_node_id');
      const next = this.extracting.get(id);
      if (next === undefined || seen.has(id)) return [];
      seen.add(id);
      return [...listVariables(next['variables']), ...this.extractedAfter(next, seen)];
    });
  }
}

/** The variables that are read from the result of a tool. */
function readResponse(tool: Members, result: string): Partial<AuthoredNode> {
  const set = Object.entries(toMembers(tool['response_variables'])).flatMap(([to, path]) => {
    const variable = toVariableName(to);
    const inner = toVariableName(toText(path).replace(/^\$\.?/u, ''));
    if (variable === null || inner === null) return [];
    return [{ variable, to: `{{ ${result}.${inner} }}` }];
  });
  return { output_var: result, ...(set.length === 0 ? {} : { set: set.slice(0, limits.assignmentsMax) }) };
}

function parseInstruction(node: Members): { readonly says: string; readonly instruction: string } {
  const text = toTemplate(toText(getMember(node, 'instruction', 'text')));
  return getMember(node, 'instruction', 'type') === 'static_text'
    ? { says: text, instruction: '' }
    : { says: '', instruction: text };
}

const isTalking = ({ type }: Members): boolean => type === 'conversation' || type === 'subagent';

const toCode = (code: unknown) => (toText(code) === '' ? {} : { code: toTemplate(toText(code)) });

function toDocuments(holder: Members): Partial<AuthoredNode> {
  const documents = toList(holder['knowledge_base_ids']).filter((id) => typeof id === 'string');
  return documents.length === 0 ? {} : { documents: documents.map((name) => ({ name })) };
}
