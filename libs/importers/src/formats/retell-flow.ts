// Imports conversation flows of Retell: nodes that talk until an edge matches.
import { jsonPointer } from '@parley/envelopes';
import type { AuthoredNode } from '@parley/flow-engine';
import { toEdgeCondition, type Comparison } from '../conditions.ts';
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
import { toMembersList, getMember, findText, toList, toMembers, toText, type Members } from '../source.ts';
import { toArguments, toTemplate, toVariableName } from '../words.ts';

export class ConversationFlow {
  private readonly nodes: readonly Members[];
  private readonly tools: ReadonlyMap<string, Members>;
  private readonly ids = new Map<unknown, string>();
  private readonly extracting: ReadonlyMap<unknown, Members>;
  private readonly flow: Members;
  private readonly base: readonly string[];
  private readonly draft: Draft;

  constructor(flow: Members, base: readonly string[], draft: Draft) {
    this.flow = flow;
    this.base = base;
    this.draft = draft;
    this.nodes = toMembersList(flow['nodes']);
    this.tools = new Map(
      toMembersList(flow['tools']).map((tool) => [findText(tool['tool_id'], tool['name']), tool]),
    );
    this.extracting = new Map(
      this.nodes.filter(({ type }) => type === 'extract_dynamic_variables').map((node) => [node['id'], node]),
    );
    for (const node of this.nodes)
      if (node['type'] !== 'note' && !this.ids.has(node['id']))
        this.ids.set(node['id'], draft.id(findText(node['name'], node['id'])));
  }

  read(): void {
    const { draft, flow, nodes } = this;
    const persona = toTemplate(toText(flow['global_prompt']));
    if (persona !== '') draft.add({ id: draft.id('persona'), type: 'global', prompt: persona });
    draft.start = this.ids.get(flow['start_node_id']) ?? null;
    nodes.forEach((node, index) => {
      const made = this.make(node);
      const what = { name: findText(node['name'], node['id']), type: toText(node['type']) || 'unknown' };
      draft.report({ pointer: jsonPointer([...this.base, 'nodes', index]), ...what }, made);
    });
    this.addCommands();
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
        const agent: Partial<AuthoredNode> = toBindings(toList(node['tools']).length > 0 ? node : this.flow);
        const extraction = this.extractedAfter(node);
        const ids = addTalk(draft, { id, says, instruction, drawn, extraction, agent }, exits, then);
        return instruction === '' && exits.every(({ condition }) => condition.nl === undefined)
          ? mapped(...ids)
          : approximated('a model talks until an edge matches; Parley judges each answer', ...ids);
      }
      case 'end':
        return mapped(...addSpeech(draft, { id, says, instruction, drawn }, 'end'));
      case 'logic_split':
      case 'branch':
        return mapped(addPassage(draft, id, exits, then, drawn));
      case 'extract_dynamic_variables':
        return approximated(
          'the answers that lead here are read for its variables',
          addPassage(draft, id, exits, then, drawn),
        );
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
      case 'mcp':
        return approximated(
          'the caller runs it as a tool',
          this.addTool(id, findText(node['mcp_tool_name'], node['name'], 'mcp'), {}, exits, then, drawn),
        );
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
    const set = Object.entries(toMembers(tool['response_variables'])).flatMap(([to, path]) => {
      const variable = toVariableName(to);
      const inner = toVariableName(toText(path).replace(/^\$\.?/u, ''));
      if (variable === null || inner === null) return [];
      return [{ variable, to: `{{ ${result}.${inner} }}` }];
    });
    this.addTool(id, name, args, exits, then, {
      ...drawn,
      ...(waits ? { wait_for_result: true, output_var: result } : {}),
      ...(waits && set.length > 0 ? { set: set.slice(0, 20) } : {}),
    });
    return Object.keys(args).length === 0
      ? mapped(id)
      : approximated('its arguments are variables of the same names; no model extracts them', id);
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

  private leadsTo(edge: unknown): string | null {
    return this.ids.get(getMember(edge, 'destination_node_id')) ?? null;
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
    return { exits, then };
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
      const own = toMembersList(next['variables']).flatMap(({ name, type, description }) => {
        const variable = toVariableName(toText(name));
        if (variable === null) return [];
        return [{ name: variable, type: toText(type), description: toText(description) }];
      });
      return [...own, ...this.extractedAfter(next, seen)];
    });
  }

  /** Nodes that can start from any node. */
  private addCommands(): void {
    const entries = this.nodes.flatMap((node): Exit[] => {
      const nl = findText(getMember(node, 'global_node_setting', 'condition'));
      const target = this.ids.get(node['id']);
      return nl === '' || target === undefined ? [] : [{ condition: { nl }, target }];
    });
    enterFromAnywhere(this.draft, entries);
  }
}

function parseInstruction(node: Members): { readonly says: string; readonly instruction: string } {
  const text = toTemplate(toText(getMember(node, 'instruction', 'text')));
  return getMember(node, 'instruction', 'type') === 'static_text'
    ? { says: text, instruction: '' }
    : { says: '', instruction: text };
}

const toCode = (code: unknown) => (toText(code) === '' ? {} : { code: toTemplate(toText(code)) });

const operators = new Map(
  Object.entries({
    '==': 'eq',
    '!=': 'neq',
    '>': 'gt',
    '>=': 'gte',
    '<': 'lt',
    '<=': 'lte',
    contains: 'contains',
    not_contains: 'not_contains',
    exists: 'exists',
    not_exist: 'not_exists',
    not_exists: 'not_exists',
  }),
);

function parseCondition(when: unknown): EdgeCondition | null {
  if (getMember(when, 'type') !== 'equation') {
    const nl = toText(getMember(when, 'prompt'));
    return nl === '' ? null : { nl };
  }
  const comparisons = toMembersList(getMember(when, 'equations')).flatMap(
    ({ left, operator, right }): Comparison[] => {
      const variable = toVariableName(toText(left).replace(/^\{\{|\}\}$/gu, ''));
      const op = operators.get(toText(operator));
      if (variable === null || op === undefined) return [];
      return [op.endsWith('exists') ? { variable, op } : { variable, op, value: toTemplate(toText(right)) }];
    },
  );
  const join = getMember(when, 'operator') === '||' ? 'any' : 'all';
  // An unreadable part would change the meaning of the rest.
  return comparisons.length === toMembersList(getMember(when, 'equations')).length
    ? toEdgeCondition({ join, comparisons })
    : null;
}

function toBindings(holder: Members): Partial<AuthoredNode> {
  const documents = toList(holder['knowledge_base_ids']).filter((id) => typeof id === 'string');
  return documents.length === 0 ? {} : { documents: documents.map((name) => ({ name })) };
}
