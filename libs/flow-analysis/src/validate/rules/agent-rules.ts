// Rules about autonomous nodes (their tools, endpoints and bounds), and about what they share with
// collect nodes.
import { compileAgentTools } from '@parley/flow-engine/walk/agent';
import { compileExtraction, isListed } from '@parley/flow-engine/walk/extraction';
import { limits } from '@parley/flow-engine/define/limits';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { atNode, quoted, shown } from '../finding.ts';
import type { Rule } from '../rule.ts';
import type { FlowIndex } from '../flow-index.ts';
import { findUrlProblem } from '../public-url.ts';

const agents = ({ flow }: FlowIndex): NodeModel[] => flow.nodes.filter(({ type }) => type === 'autonomous');

/** The built-in tool with which an agent reports success; it needs no endpoint. */
const builtInTool = 'goal_reached';

const readDispatch = ({ raw }: NodeModel): readonly (readonly [string, unknown])[] =>
  Object.entries(raw.tool_dispatch ?? {});

/** At most this many models are named in a finding. */
const MODELS_NAMED_MAX = 10;

export const modelUnknown: Rule = ({ flow, options: { models } }) => {
  const node = flow.nodes.find(({ type }) => type === 'global');
  const model = node?.raw['model'];
  if (node === undefined || model == null) return [];
  if (typeof model !== 'string' || model === '')
    return [atNode(node, '`model` must be the name of a model', 'model')];
  if (models === undefined || models.includes(model)) return [];
  if (models.length === 0) {
    const message = `No provider of models is configured, so ${quoted(model)} is not called`;
    return [{ ...atNode(node, message, 'model'), severity: 'warning' }];
  }
  const named = models.slice(0, MODELS_NAMED_MAX).map((name) => quoted(name));
  const more = models.length > named.length ? ', …' : '';
  const known = `${named.join(', ')}${more}`;
  return [atNode(node, `The model settings do not list ${quoted(model)}; use one of ${known}`, 'model')];
};

export const dispatchUnknownTool: Rule = (index) =>
  agents(index).flatMap((node) => {
    const known = new Set(compileAgentTools(node.raw.tools ?? []).map(({ name }) => name));
    return readDispatch(node)
      .filter(([tool]) => !known.has(tool))
      .map(([tool]) => atNode(node, `${quoted(node.id)} has no tool ${quoted(tool)}`, 'tool_dispatch', tool));
  });

export const toolWithoutDispatch: Rule = (index) =>
  agents(index).flatMap((node) =>
    (node.raw.tools ?? []).flatMap((authored, place) => {
      const [tool] = compileAgentTools([authored]);
      if (tool === undefined)
        return [atNode(node, `${shown(authored)} has no name, so the agent does not get it`, 'tools', place)];
      const dispatched = tool.name === builtInTool || Object.hasOwn(node.raw.tool_dispatch ?? {}, tool.name);
      return dispatched ? [] : [atNode(node, `Tool ${quoted(tool.name)} has no endpoint`, 'tools', place)];
    }),
  );

export const dispatchUrlInvalid: Rule = (index) =>
  agents(index).flatMap((node) =>
    readDispatch(node).flatMap(([tool, endpoint]) => {
      const url = (endpoint as { url?: unknown } | null)?.url;
      const problem = findUrlProblem(url, index.options);
      if (problem === null) return [];
      const member = typeof url === 'string' ? ['tool_dispatch', tool, 'url'] : ['tool_dispatch', tool];
      return [atNode(node, `Endpoint of ${quoted(tool)}: ${problem}`, ...member)];
    }),
  );

interface Bound {
  readonly member: 'max_iterations' | 'turn_budget' | 'max_turns' | 'max_attempts';
  readonly isWhole: boolean;
  readonly max: number;
}

const agentBounds: readonly Bound[] = [
  { member: 'max_iterations', isWhole: true, max: limits.agentIterationsMax },
  { member: 'turn_budget', isWhole: false, max: limits.agentBudgetSecondsMax },
  { member: 'max_turns', isWhole: true, max: limits.talkTurnsMax },
];
const collectBounds: readonly Bound[] = [{ member: 'max_attempts', isWhole: true, max: Infinity }];

export const boundInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    const bounds = node.type === 'autonomous' ? agentBounds : node.type === 'collect' ? collectBounds : [];
    return bounds.flatMap((bound) => {
      const value = node.raw[bound.member];
      if (value == null || holds(bound, value)) return [];
      return [atNode(node, `${bound.member} is ${shown(value)}, not ${describeBound(bound)}`, bound.member)];
    });
  });

const holds = ({ isWhole, max }: Bound, value: unknown): boolean =>
  typeof value === 'number' && value > 0 && value <= max && (!isWhole || Number.isInteger(value));

function describeBound({ isWhole, max }: Bound): string {
  const what = isWhole ? 'a whole number from 1' : 'a number of seconds above 0';
  return max === Infinity ? what : `${what} up to ${max}`;
}

export const extractionInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    const { extraction } = node.raw;
    if (extraction == null || typeof node.type !== 'string') return [];
    if (node.waitsFor !== 'user_input' && node.waitsFor !== 'talk') {
      const message = `${quoted(node.id)} extracts nothing: it is no question, and no agent that talks`;
      return [atNode(node, message, 'extraction')];
    }
    const { variables } = extraction as { readonly variables?: unknown };
    const entries: readonly unknown[] = Array.isArray(variables) ? variables : [];
    const unread = entries.flatMap((entry, place) =>
      isListed(entry)
        ? []
        : [
            atNode(
              node,
              `${shown(entry)} is not extracted: name or type is wrong`,
              'extraction',
              'variables',
              place,
            ),
          ],
    );
    if (unread.length > 0 || compileExtraction(extraction) !== null) return unread;
    return [atNode(node, `${quoted(node.id)} extracts nothing: it names no variable`, 'extraction')];
  });

export const contextVarUnknown: Rule = (index) =>
  index.variables.reads
    .filter(({ by, path }) => by === 'context' && !index.isWritten(path))
    .map(({ node, at, path }) => ({ ...atNode(node!, `No node sets ${quoted(path)}`), path: at }));
