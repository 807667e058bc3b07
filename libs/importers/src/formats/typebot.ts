// Imports Typebot flows: groups of blocks that send, ask, decide or call other products.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { toEdgeCondition, UNREAD_CONDITION, type Comparison } from '../conditions.ts';
import { addExits, type Exit } from '../converse.ts';
import {
  approximated,
  toPosition,
  dropped,
  mapped,
  type Draft,
  type EdgeCondition,
  type NodeOutcome,
} from '../draft.ts';
import { toMembersList, getMember, findText, isMembers, toMembers, toText, type Members } from '../source.ts';
import { toTemplate, toVariableName } from '../words.ts';
import { isQuestion, TypebotGraph, type Block } from './typebot-graph.ts';
import { listMappings, toBounds, toChoice, toToolArguments, UNSHOWN } from './typebot-options.ts';

export const isTypebot = (source: Members): boolean => {
  const { groups, edges } = getBody(source);
  return Array.isArray(edges) && toMembersList(groups).some(({ blocks }) => Array.isArray(blocks));
};

/** An API response wraps it. */
const getBody = (source: Members): Members => (isMembers(source['typebot']) ? source['typebot'] : source);

export function readTypebot(source: Members, draft: Draft): void {
  const body = getBody(source);
  const graph = new TypebotGraph(body, body === source ? [] : ['typebot'], draft);
  draft.name = toText(body['name']) || null;
  draft.start = graph.start();
  const blocks = new Blocks(graph, draft);
  for (const block of graph.blocks) {
    const { pointer, name, type } = block;
    draft.report({ pointer, name, type }, blocks.make(block));
  }
}

type Unnamed = Omit<AuthoredNode, 'id'>;
type Add = (node: Unnamed, exits?: readonly Exit[]) => string;

class Blocks {
  private readonly graph: TypebotGraph;
  private readonly draft: Draft;

  constructor(graph: TypebotGraph, draft: Draft) {
    this.graph = graph;
    this.draft = draft;
  }

  make(block: Block): NodeOutcome {
    const { draft, graph } = this;
    const { block: source, type, id } = block;
    if (type === 'start') return mapped();
    const question = graph.saidBy(block);
    if (question !== null) return mapped(question.id);
    const then = graph.after(block);
    const drawn = toPosition(block.drawn);
    const leads = (node: Unnamed, exits: readonly Exit[], next: string | null): string => {
      draft.add({ id, ...node, ...drawn });
      addExits(draft, id, exits, next);
      return id;
    };
    const add: Add = (node, exits = []) => leads(node, exits, then);
    if (isQuestion(block)) return this.makeQuestion(block, add);
    switch (type) {
      case 'text':
        return mapped(add({ type: 'message', text: graph.said(block) }));
      case 'image':
      case 'video':
      case 'audio':
      case 'embed': {
        const url = toText(getMember(source, 'content', 'url'));
        return url === ''
          ? dropped('it shows nothing', add({ type: 'branch' }))
          : approximated('its URL is sent as text', add({ type: 'message', text: toTemplate(url) }));
      }
      case 'Condition':
        return this.makeCondition(source, add);
      case 'Set variable':
        return this.makeSet(source, add);
      case 'Jump':
        return mapped(leads({ type: 'branch' }, [], graph.entry(source['options'])));
      case 'Wait':
      case 'Return':
      case 'Pixel':
      case 'Google Analytics':
        return dropped('no equivalent in Parley', add({ type: 'branch' }));
      case 'AB test': {
        const first = graph.leadsTo(getMember(source, 'items', 0, 'outgoingEdgeId'));
        return approximated('always takes the first branch', leads({ type: 'branch' }, [], first ?? then));
      }
      case 'Redirect':
      case 'Typebot link':
      case 'Code':
      case 'webhook':
      case 'Chatwoot':
        return approximated('the caller does it, as a tool', add(this.toolOf(source, type)));
      default:
        // All other blocks call another product: each has options and may set variables.
        return isMembers(source['options']) || 'integrationId' in source || type === 'Webhook'
          ? approximated('the caller does it, as a tool', add(this.toolOf(source, type)))
          : dropped('no equivalent in Parley', add({ type: 'branch' }));
    }
  }

  private toolOf(source: Members, type: string): Unnamed {
    const options = toMembers(source['options']);
    const name = toVariableName(findText(options['action'], options['task'], type)) ?? 'tool';
    const result = `${name}_result`;
    const set = listMappings(options).flatMap(({ variableId, path }) => {
      const variable = this.graph.variable(variableId);
      const inner = path === '' ? '' : toVariableName(path);
      if (variable === null || inner === null) return [];
      return [{ variable, to: `{{ ${inner === '' ? result : `${result}.${inner}`} }}` }];
    });
    return {
      type: 'tool',
      tool: name,
      args: toToolArguments(options, toMembers(options['webhook'] ?? source['webhook']), (id) =>
        this.graph.variable(id),
      ),
      wait_for_result: true,
      output_var: result,
      ...(set.length === 0 ? {} : { set: set.slice(0, limits.assignmentsMax) }),
    };
  }

  private makeQuestion(question: Block, add: Add): NodeOutcome {
    const { block, type } = question;
    const options = block['options'];
    const prompt = this.graph.promptOf(question);
    const variable = this.graph.variable(getMember(options, 'variableId')) ?? 'answer';
    const retry = toTemplate(toText(getMember(options, 'retryMessageContent')));
    const asked: Unnamed = {
      type: 'collect',
      prompt,
      variable,
      ...(retry === '' ? {} : { reprompt: retry }),
    };
    switch (type) {
      case 'text input':
        return mapped(add(asked));
      case 'number input':
        return mapped(add({ ...asked, cast: 'number', ...toBounds(options) }));
      case 'rating input': {
        const max = getMember(options, 'length');
        const top = typeof max === 'number' ? max : 10;
        return mapped(add({ ...asked, cast: 'integer', min: top === 10 ? 0 : 1, max: top }));
      }
      case 'email input':
        return mapped(add({ ...asked, cast: 'email' }));
      case 'url input':
        return mapped(add({ ...asked, cast: 'url' }));
      case 'phone number input': {
        const region = toText(getMember(options, 'defaultCountryCode')).toUpperCase();
        return mapped(
          add({
            ...asked,
            cast: 'phone',
            ...(/^[A-Z]{2}$/u.test(region) ? { default_region: region } : {}),
          }),
        );
      }
      case 'date input':
        return getMember(options, 'isRange') === true
          ? approximated('a range of days is a text', add(asked))
          : mapped(add({ ...asked, cast: getMember(options, 'hasTime') === true ? 'datetime' : 'date' }));
      case 'time input':
        return mapped(add({ ...asked, cast: 'time' }));
      case 'choice input':
      case 'picture choice input':
      case 'cards':
        return this.makeChoice(block, asked, add);
      default:
        return approximated(
          `what is asked for, a ${type.replace(/ input$/u, '')}, is a text here`,
          add(asked),
        );
    }
  }

  /** Buttons are choices of the question, and not a part of what it says. */
  private makeChoice(block: Members, question: Unnamed, add: Add): NodeOutcome {
    const items = toMembersList(block['items']).flatMap((item) => {
      const label = findText(item['content'], item['title'], getMember(item, 'options', 'title'));
      const value = findText(item['value'], getMember(item, 'options', 'internalValue'), label);
      return label === '' || `${label}${value}`.includes('{{') ? [] : [{ item, label, value }];
    });
    const many = getMember(block, 'options', 'isMultipleChoice') === true;
    if (items.length === 0)
      return approximated('its choices are computed at run time; imported as a text question', add(question));
    const choices = [...new Map(items.map((item) => [item.value, toChoice(item)])).values()].slice(
      0,
      limits.classifierChoicesMax,
    );
    if (many)
      return approximated(`${UNSHOWN}, and several are a list`, add({ ...question, cast: 'list', choices }));
    const exits = items.flatMap(({ item, value }): Exit[] => {
      const own = [
        item['outgoingEdgeId'],
        ...toMembersList(item['paths']).map((path) => path['outgoingEdgeId']),
      ];
      const target = own.map((edge) => this.graph.leadsTo(edge)).find((to) => to !== null);
      if (target == null) return [];
      return [{ condition: { variable: String(question['variable']), op: 'eq', value }, target }];
    });
    return approximated(UNSHOWN, add({ ...question, cast: 'enum', choices }, exits));
  }

  private makeCondition(block: Members, add: Add): NodeOutcome {
    let lost = false;
    const exits = toMembersList(block['items']).flatMap((item): Exit[] => {
      const condition = this.conditionOf(item['content']);
      if (condition === null) lost = true;
      const target = this.graph.leadsTo(item['outgoingEdgeId']) ?? this.draft.end();
      return condition === null ? [] : [{ condition, target }];
    });
    const id = add({ type: 'branch' }, exits);
    return lost ? approximated(UNREAD_CONDITION, id) : mapped(id);
  }

  private conditionOf(content: unknown): EdgeCondition | null {
    const all = toMembersList(getMember(content, 'comparisons'));
    const comparisons = all.flatMap(({ variableId, comparisonOperator, value }): Comparison[] => {
      const variable = this.graph.variable(variableId);
      const op = operators.get(toText(comparisonOperator));
      if (variable === null || op === undefined) return [];
      return [unary.has(op) ? { variable, op } : { variable, op, value: toValue(op, value) }];
    });
    if (comparisons.length !== all.length) return null;
    return toEdgeCondition({
      join: getMember(content, 'logicalOperator') === 'OR' ? 'any' : 'all',
      comparisons,
    });
  }

  private makeSet(source: Members, add: Add): NodeOutcome {
    const options = source['options'];
    const variable = this.graph.variable(getMember(options, 'variableId'));
    if (variable === null) return dropped('it sets no variable', add({ type: 'branch' }));
    const set = (entry: object) => add({ type: 'branch', set: [{ variable, ...entry }] });
    const type = findText(getMember(options, 'type'), 'Custom');
    const expression = findText(getMember(options, 'expressionToEvaluate'), getMember(options, 'expression'));
    if (type === 'Append value(s)')
      return mapped(set({ append: toTemplate(toText(getMember(options, 'item'))) }));
    if (type === 'Empty' || (type === 'Custom' && expression === '')) return mapped(set({ clear: true }));
    if (type === 'Now') return mapped(set({ to: '{{ _now }}' }));
    if (type === 'Today') return mapped(set({ to: '{{ _today }}' }));
    if (type !== 'Custom') return approximated('the caller supplies its value', add({ type: 'branch' }));
    const sum = /^\{\{([^{}]+)\}\}\s*([+-])\s*(\d{1,9}(?:\.\d{1,9})?)$/u.exec(expression);
    if (sum !== null && toVariableName(sum[1]!) === variable)
      return mapped(set({ add: Number(`${sum[2]}${sum[3]}`) }));
    if (/^-?\d{1,15}(?:\.\d{1,15})?$/u.test(expression)) return mapped(set({ to: Number(expression) }));
    const isCode =
      getMember(options, 'isCode') === true ||
      /[;=<>?]|=>|\breturn\b|\w\(/u.test(expression.replace(/\{\{[^{}]*\}\}/gu, ''));
    return isCode
      ? approximated('the caller runs its code as a tool', this.runs(expression, variable, add))
      : mapped(set({ to: toTemplate(unquote(expression)) }));
  }

  private runs(code: string, variable: string, add: Add): string {
    const args = { code: toTemplate(code) };
    return add({ type: 'tool', tool: 'run_code', args, wait_for_result: true, output_var: variable });
  }
}

const operators = new Map(
  Object.entries({
    'Equal to': 'eq',
    'Not equal': 'neq',
    Contains: 'contains',
    'Does not contain': 'not_contains',
    'Greater than': 'gt',
    'Greater or equal to': 'gte',
    'Less than': 'lt',
    'Less or equal to': 'lte',
    'Is set': 'exists',
    'Is empty': 'empty',
    'Starts with': 'starts_with',
    'Ends with': 'ends_with',
    'Matches regex': 'matches',
    'Does not match regex': 'not_matches',
  }),
);
const unary: ReadonlySet<string> = new Set(['exists', 'empty']);

/** Typebot's patterns are JavaScript literals. */
const toValue = (op: string, value: unknown): unknown =>
  op.endsWith('matches') ? toText(value).replace(/^\/(.*)\/[a-z]*$/su, '$1') : toTemplate(toText(value));

const unquote = (text: string): string => /^(["'`])([^"'`]*)\1$/su.exec(text)?.[2] ?? text;
