// Rules about the pieces of a flow and how they connect.
import { readCall } from '@parley/flow-engine/define/calls';
import type { EdgeModel, FlowModel } from '@parley/flow-engine/define/model';
import { atEdge, atNode, quoted, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { isDeclarative, isLeft, isTerminal } from '../node-kinds.ts';

export const noNodes: Rule = ({ flow }) =>
  flow.nodes.length === 0 ? [{ message: 'The flow has no nodes', path: '/nodes' }] : [];

export const duplicateNodeId: Rule = ({ flow }) =>
  flow.nodes
    .filter((node) => flow.nodesById.get(node.id) !== node)
    .map((node) => {
      const first = flow.nodesById.get(node.id)!;
      return atNode(node, `Node id ${quoted(node.id)} is taken by node ${first.index}`, 'id');
    });

export const unknownNodeType: Rule = ({ flow }) =>
  flow.nodes
    .filter((node) => node.type === null)
    .map((node) =>
      atNode(
        node,
        node.raw.type == null ? 'The node has no type' : `No node type ${quoted(node.raw.type)}`,
        'type',
      ),
    );

export const startNotFound: Rule = ({ flow }) =>
  flow.startId !== null && flow.start === null
    ? [{ message: `The start ${quoted(flow.startId)} is no node of the flow`, path: '/start' }]
    : [];

export const startNotWalkable: Rule = ({ flow }) => {
  const { start } = flow;
  if (start === null || !isDeclarative(start)) return [];
  const message = `The flow starts at ${start.type} node ${quoted(start.id)}, which is no step of a conversation`;
  return [
    { message, path: flow.definition.start == null ? `/nodes/${start.index}` : '/start', nodeId: start.id },
  ];
};

export const edgeSourceUnknown: Rule = ({ flow }) =>
  flow.edges
    .filter(({ source }) => !flow.nodesById.has(source))
    .map((edge) => atEdge(edge, `No node ${quoted(edge.source)}`, 'source'));

export const edgeTargetUnknown: Rule = ({ flow }) =>
  flow.edges
    .filter(({ target }) => !flow.nodesById.has(target))
    .map((edge) => atEdge(edge, `No node ${quoted(edge.target)}`, 'target'));

/** A repeated default edge is a second default. */
export const duplicateEdge: Rule = ({ repeats }) =>
  [...repeats]
    .filter(([{ kind }]) => kind !== 'default')
    .map(([edge, first]) => atEdge(edge, `The edge repeats edge ${first.index}: same nodes, same condition`));

export const edgeOnDeclarativeNode: Rule = ({ flow }) =>
  flow.edges.flatMap((edge) => {
    const [source, target] = listEnds(flow, edge);
    const findings: Finding[] = [];
    if (source !== undefined && isDeclarative(source) && source.type !== 'trigger')
      findings.push(atEdge(edge, `An edge leaves ${source.type} node ${quoted(source.id)}`, 'source'));
    if (target !== undefined && isDeclarative(target))
      findings.push({
        ...atEdge(edge, `An edge enters ${target.type} node ${quoted(target.id)}`, 'target'),
        nodeId: target.id,
      });
    return findings;
  });

export const terminalHasOutgoing: Rule = ({ flow }) =>
  flow.edges
    .filter((edge) => {
      const [source] = listEnds(flow, edge);
      return source !== undefined && isTerminal(source) && !isLeft(source);
    })
    .map((edge) => atEdge(edge, `An edge leaves ${quoted(edge.source)}, where the conversation is over`));

function listEnds(flow: FlowModel, { source, target }: EdgeModel) {
  return [flow.nodesById.get(source), flow.nodesById.get(target)] as const;
}

export const callInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    const call = readCall(node.raw);
    return typeof call === 'string' ? [atNode(node, call, 'call')] : [];
  });

/** An expanded node has no call any more. */
export const callUnresolved: Rule = ({ flow, options }) =>
  flow.nodes.flatMap((node) => {
    const call = readCall(node.raw);
    if (call === null || typeof call === 'string') return [];
    const why = options.callProblems?.get(node.index) ?? `Flow ${quoted(call.flowId)} was not looked for`;
    return [atNode(node, why, 'call')];
  });
