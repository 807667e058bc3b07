// The steps of Rasa flows that lead to no other flow, as nodes.
// Source: rasa.com/docs/reference/primitives/flow-steps.
import { limits, type AuthoredNode } from '@parley/flow-engine';
import { approximated, dropped, mapped, type EdgeCondition, type NodeOutcome } from '../draft.ts';
import { findText, getMember, toList, toMembers, toMembersList, toText, type Members } from '../source.ts';
import { placeholders, toTemplate, toVariableName } from '../words.ts';
import { parseCondition, toCast, toValue, type Domain } from './rasa-domain.ts';

/** Pressed keys of one answer; longer numbers are read as they are. */
const KEYS_MAX = 50;

export interface StepNodes {
  /** In order; the caller adds the edges of the last one. */
  readonly nodes: readonly AuthoredNode[];
  readonly outcome: NodeOutcome;
  /** The edges of the last one are there. */
  readonly leads?: boolean;
}

/** @returns null when the step is a jump to a flow */
export function makeStep(
  step: Members,
  kind: string,
  id: string,
  domain: Domain,
  newId: (suffix: string) => string,
): StepNodes | null {
  switch (kind) {
    case 'collect':
      return { nodes: [makeQuestion(step, id, domain)], outcome: mapped(id) };
    case 'action':
      return makeAction(step, id, domain);
    case 'set_slots': {
      const entries = toList(step['set_slots']).flatMap((one) => Object.entries(toMembers(one)));
      const set = entries.flatMap(([slot, value]) => {
        const variable = toVariableName(slot);
        if (variable === null) return [];
        return [value === null ? { variable, clear: true } : { variable, to: toValue(value) }];
      });
      const node: AuthoredNode = { id, type: 'branch', set: set.slice(0, limits.assignmentsMax) };
      return { nodes: [node], outcome: mapped(id) };
    }
    case 'call':
      if (toText(step['mcp_server']) !== '') return makeToolCall(step, id);
      return domain.flows.has(toText(step['call'])) ? null : makeAgent(step, id, domain, newId('after'));
    case 'link':
      return null;
    case 'generation_prompt': {
      const goal = toTemplate(toText(step[kind]), placeholders.brace);
      return { nodes: [{ id, type: 'autonomous', goal }], outcome: mapped(id) };
    }
    case 'noop':
      return { nodes: [{ id, type: 'branch' }], outcome: mapped(id) };
    default:
      // A step may have a name and a way on only.
      if (Object.keys(step).every((member) => member === 'id' || member === 'next'))
        return { nodes: [{ id, type: 'branch' }], outcome: mapped(id) };
      return { nodes: [{ id, type: 'branch' }], outcome: dropped('no equivalent in Parley', id) };
  }
}

function makeQuestion(step: Members, id: string, domain: Domain): AuthoredNode {
  const slot = toText(step['collect']);
  const asked = domain.saying(findText(step['utter'], `utter_ask_${slot}`));
  const keys = getMember(step, 'dtmf', 'length');
  const isFixed = typeof keys === 'number' && Number.isInteger(keys) && keys > 0 && keys <= KEYS_MAX;
  return {
    id,
    type: 'collect',
    prompt: asked?.text ?? '',
    variable: toVariableName(slot) ?? 'answer',
    ...(asked === null || asked.variants.length === 0 ? {} : { variants: asked.variants }),
    ...toCast(domain.slots.get(slot)),
    ...(isFixed ? { cast: 'code', pattern: `^[0-9]{${keys}}$` } : {}),
    ...(step['ask_before_filling'] === true ? {} : { skip_if_set: true }),
  };
}

function makeAction(step: Members, id: string, domain: Domain): StepNodes {
  const action = toText(step['action']);
  const saying = domain.saying(action);
  if (saying === null) {
    const tool: AuthoredNode = { id, type: 'tool', tool: action, args: {}, wait_for_result: true };
    return { nodes: [tool], outcome: approximated('the caller runs it as a tool and sets its slots', id) };
  }
  const { text, variants } = saying;
  const variety = variants.length === 0 ? {} : { variants };
  return { nodes: [{ id, type: 'message', text, ...variety }], outcome: mapped(id) };
}

/** A tool of an MCP server, which the caller runs. */
function makeToolCall(step: Members, id: string): StepNodes {
  const tool = toText(step['call']);
  const result = toVariableName(`${tool}_result`) ?? 'result';
  const input = toMembersList(getMember(step, 'mapping', 'input')).flatMap(({ param, slot }) => {
    const variable = toVariableName(toText(slot));
    return variable === null || ['', '__proto__'].includes(toText(param))
      ? []
      : [[toText(param), `{{ ${variable} }}`] as const];
  });
  const set = toMembersList(getMember(step, 'mapping', 'output')).flatMap(({ slot, value }) => {
    const variable = toVariableName(toText(slot));
    const [, path] = /^result\.([\w.]+)$/u.exec(toText(value)) ?? [];
    return variable === null || path === undefined ? [] : [{ variable, to: `{{ ${result}.${path} }}` }];
  });
  const node: AuthoredNode = {
    id,
    type: 'tool',
    tool,
    args: Object.fromEntries(input),
    wait_for_result: true,
    output_var: result,
    mcp: [{ name: toText(step['mcp_server']) }],
    ...(set.length === 0 ? {} : { set: set.slice(0, limits.assignmentsMax) }),
  };
  return { nodes: [node], outcome: approximated('the caller calls the tool at its server', id) };
}

function makeAgent(step: Members, id: string, domain: Domain, afterId: string): StepNodes | null {
  const name = toText(step['call']);
  const config = domain.agents.get(name);
  if (config === undefined) return null;
  const servers = toMembersList(getMember(config, 'connections', 'mcp_servers'));
  const node: AuthoredNode = {
    id,
    type: 'autonomous',
    converse: true,
    goal: toTemplate(findText(getMember(config, 'agent', 'description'), name), placeholders.brace),
    ...(servers.length === 0 ? {} : { mcp: servers }),
  };
  const reason =
    toList(step['exit_if']).length === 0
      ? 'a model talks until its task is done'
      : 'a model talks until it sees that its conditions hold; the slots that it fills are not stored';
  return { nodes: [node, { id: afterId, type: 'branch' }], outcome: approximated(reason, id, afterId) };
}

/** The edges from an agent to what follows it. */
export function listAgentExits(step: Members): EdgeCondition[] {
  const conditions = toList(step['exit_if']).map(toText);
  const done = { variable: 'agent_result.status', op: 'eq', value: 'goal_reached' };
  const holds = parseCondition(conditions.join(' and '));
  const judged = conditions.length === 0 ? [] : [{ nl: `This holds: ${conditions.join(' and ')}` }];
  return [done, ...(holds === null ? [] : [holds]), ...judged, { default: true }];
}
