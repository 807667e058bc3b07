// Conversation flows of Retell: nodes that talk until an edge holds.
import { jsonPointer } from '@parley/envelopes';
import type { AuthoredNode } from '@parley/flow-engine';
import { conditionOf, type Comparison } from '../conditions.ts';
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
import { allMembers, at, firstText, listOf, membersOf, textOf, type Members } from '../source.ts';
import { argumentsOf, template, variableName } from '../words.ts';

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
    this.nodes = allMembers(flow['nodes']);
    this.tools = new Map(
      allMembers(flow['tools']).map((tool) => [firstText(tool['tool_id'], tool['name']), tool]),
    );
    this.extracting = new Map(
      this.nodes.filter(({ type }) => type === 'extract_dynamic_variables').map((node) => [node['id'], node]),
    );
    for (const node of this.nodes)
      if (node['type'] !== 'note' && !this.ids.has(node['id']))
        this.ids.set(node['id'], draft.id(firstText(node['name'], node['id'])));
  }

  read(): void {
    const { draft, flow, nodes } = this;
    const persona = template(textOf(flow['global_prompt']));
    if (persona !== '') draft.add({ id: draft.id('persona'), type: 'global', prompt: persona });
    draft.start = this.ids.get(flow['start_node_id']) ?? null;
    nodes.forEach((node, index) => {
      const made = this.make(node);
      const what = { name: firstText(node['name'], node['id']), type: textOf(node['type']) || 'unknown' };
      draft.report({ pointer: jsonPointer([...this.base, 'nodes', index]), ...what }, made);
    });
    this.addCommands();
  }

  private make(node: Members): Made {
    const { draft } = this;
    const id = this.ids.get(node['id']);
    if (id === undefined) return dropped('a note for people');
    const drawn = drawnAt(node['display_position']);
    const { exits, then } = this.exitsOf(node);
    const { says, instruction } = instructionOf(node);
    switch (node['type']) {
      case 'conversation':
      case 'subagent': {
        const skip = this.leadsTo(node['skip_response_edge']);
        if (skip !== null) {
          const ids = speak(draft, { id, says, instruction, drawn }, 'message');
          draft.join(ids.at(-1)!, skip);
          return instruction === '' ? mapped(...ids) : approximated('the words are an agent’s', ...ids);
        }
        if (says === '' && instruction === '') return mapped(passOn(draft, id, exits, then, drawn));
        const agent: Partial<AuthoredNode> = bindingsOf(listOf(node['tools']).length > 0 ? node : this.flow);
        const extraction = this.extractedAfter(node);
        const ids = converse(draft, { id, says, instruction, drawn, extraction, agent }, exits, then);
        return instruction === '' && exits.every(({ condition }) => condition.nl === undefined)
          ? mapped(...ids)
          : approximated('a model talks until an edge holds: here each answer is judged', ...ids);
      }
      case 'end':
        return mapped(...speak(draft, { id, says, instruction, drawn }, 'end'));
      case 'logic_split':
      case 'branch':
        return mapped(passOn(draft, id, exits, then, drawn));
      case 'extract_dynamic_variables':
        return approximated(
          'the answers that lead here are read for its variables',
          passOn(draft, id, exits, then, drawn),
        );
      case 'press_digit':
        return approximated(
          'the key that is pressed is an answer in digits',
          ...converse(draft, { id, says: says || instruction, instruction: '', drawn }, exits, then),
        );
      case 'function':
        return this.makeFunction(node, id, exits, then, drawn);
      case 'code':
        return approximated(
          'the caller runs its code as a tool',
          this.addTool(id, firstText(node['name'], 'code'), {}, exits, then, drawn),
        );
      case 'mcp':
        return approximated(
          'the caller runs it as a tool',
          this.addTool(id, firstText(node['mcp_tool_name'], node['name'], 'mcp'), {}, exits, then, drawn),
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
        const target = firstText(
          at(node, 'transfer_destination', 'number'),
          at(node, 'transfer_destination', 'prompt'),
          node['agent_id'],
          node['name'],
        );
        const returns = exits.length > 0 || then !== null ? { returns: true } : {};
        const ids = speak(draft, { id, says, instruction, drawn }, 'handoff', {
          target: template(target),
          ...returns,
        });
        if ('returns' in returns) leave(draft, ids.at(-1)!, exits, then);
        return mapped(...ids);
      }
      default:
        return dropped('nothing here does what it does', passOn(draft, id, exits, then, drawn));
    }
  }

  private makeFunction(node: Members, id: string, exits: Exit[], then: string | null, drawn: object): Made {
    const tool = this.tools.get(textOf(node['tool_id'])) ?? {};
    const name = firstText(tool['name'], node['tool_id'], node['name'], 'function');
    const args = argumentsOf(tool['parameters']);
    const waits = node['wait_for_result'] !== false;
    const result = variableName(`${name}_result`) ?? 'result';
    const set = Object.entries(membersOf(tool['response_variables'])).flatMap(([to, path]) => {
      const variable = variableName(to);
      const inner = variableName(textOf(path).replace(/^\$\.?/u, ''));
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
      : approximated('its arguments are variables of the same names, not found by a model', id);
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
    leave(this.draft, id, exits, then);
    return id;
  }

  private leadsTo(edge: unknown): string | null {
    return this.ids.get(at(edge, 'destination_node_id')) ?? null;
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
    for (const edge of allMembers(node['edges'])) {
      const target = this.leadsTo(edge);
      const condition = conditionFrom(edge['transition_condition']);
      if (target !== null && condition !== null) exits.push({ condition, target });
    }
    const back = allMembers(at(node, 'global_node_setting', 'go_back_conditions'));
    for (const { transition_condition: when } of back) {
      const condition = conditionFrom(when);
      if (condition !== null) exits.push({ condition, target: this.goBack() });
    }
    return { exits, then };
  }

  private back: string | null = null;
  private goBack(): string {
    return (this.back ??= this.draft.add({ id: this.draft.id('go_back'), type: 'end', resume: true }));
  }

  /** What the nodes that an answer leads to take from it, one after the other. */
  private extractedAfter(node: Members, seen = new Set<unknown>()): Extracted[] {
    const edges = [...allMembers(node['edges']), node['always_edge'], node['else_edge']];
    return edges.flatMap((edge) => {
      const id = at(edge, 'destination_node_id');
      const next = this.extracting.get(id);
      if (next === undefined || seen.has(id)) return [];
      seen.add(id);
      const own = allMembers(next['variables']).flatMap(({ name, type, description }) => {
        const variable = variableName(textOf(name));
        if (variable === null) return [];
        return [{ name: variable, type: textOf(type), description: textOf(description) }];
      });
      return [...own, ...this.extractedAfter(next, seen)];
    });
  }

  /** Nodes that are entered from anywhere. */
  private addCommands(): void {
    const entries = this.nodes.flatMap((node): Exit[] => {
      const nl = firstText(at(node, 'global_node_setting', 'condition'));
      const target = this.ids.get(node['id']);
      return nl === '' || target === undefined ? [] : [{ condition: { nl }, target }];
    });
    enterFromAnywhere(this.draft, entries);
  }
}

function instructionOf(node: Members): { readonly says: string; readonly instruction: string } {
  const text = template(textOf(at(node, 'instruction', 'text')));
  return at(node, 'instruction', 'type') === 'static_text'
    ? { says: text, instruction: '' }
    : { says: '', instruction: text };
}

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

function conditionFrom(when: unknown): EdgeCondition | null {
  if (at(when, 'type') !== 'equation') {
    const nl = textOf(at(when, 'prompt'));
    return nl === '' ? null : { nl };
  }
  const comparisons = allMembers(at(when, 'equations')).flatMap(({ left, operator, right }): Comparison[] => {
    const variable = variableName(textOf(left).replace(/^\{\{|\}\}$/gu, ''));
    const op = operators.get(textOf(operator));
    if (variable === null || op === undefined) return [];
    return [op.endsWith('exists') ? { variable, op } : { variable, op, value: template(textOf(right)) }];
  });
  const join = at(when, 'operator') === '||' ? 'any' : 'all';
  // One that is not understood would make of the others another condition.
  return comparisons.length === allMembers(at(when, 'equations')).length
    ? conditionOf({ join, comparisons })
    : null;
}

function bindingsOf(holder: Members): Partial<AuthoredNode> {
  const documents = listOf(holder['knowledge_base_ids']).filter((id) => typeof id === 'string');
  return documents.length === 0 ? {} : { documents: documents.map((name) => ({ name })) };
}
