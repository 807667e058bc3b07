// Rules about commands, and about ends that go back to a question.
import { distance } from 'fastest-levenshtein';
import { anyTurn, listCommands, isCommand, priorities } from '@parley/flow-engine/define/commands';
import { listComparisons } from '@parley/flow-engine/define/conditions';
import { limits } from '@parley/flow-engine/define/limits';
import { atEdge, atNode, quoted, shown } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { reachableFrom } from '../graph/flow-graph.ts';

export const commandInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    const { on, priority, answers_question: answers } = node.raw;
    if (node.type !== 'trigger') return [];
    if (!isCommand(node))
      return typeof on === 'string' && isTypo(on)
        ? [atNode(node, `${quoted(on)} is no command; meant is perhaps ${anyTurn}`, 'on')]
        : [];
    if (priority != null && !priorities.some((known) => known === priority))
      return [atNode(node, `\`priority\` is ${shown(priority)}, not ${priorities.join(' or ')}`, 'priority')];
    if (answers != null && typeof answers !== 'boolean')
      return [
        atNode(node, `\`answers_question\` is ${shown(answers)}, not true or false`, 'answers_question'),
      ];
    const edges = flow.outgoing.get(node.id) ?? [];
    if (edges.length === 0)
      return [atNode(node, `No edge leaves ${quoted(node.id)}, so that nobody can call it`)];
    const isAsked = edges.some(({ target }) => flow.nodesById.get(target)?.type === 'collect');
    return answers === true && !isAsked
      ? [atNode(node, `No edge of ${quoted(node.id)} leads to a question to answer`, 'answers_question')]
      : [];
  });

/** Other systems define what starts a flow, but no such name is so similar. */
function isTypo(on: string): boolean {
  const written = on
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return written.length <= 2 * anyTurn.length && distance(written, anyTurn) <= 2;
}

export const commandWithoutCondition: Rule = ({ flow }) =>
  flow.edges
    .filter((edge) => {
      const node = flow.nodesById.get(edge.source);
      const isBare = edge.kind === 'default' && listComparisons(edge).length === 0 && edge.nl === null;
      return node !== undefined && isCommand(node) && isBare;
    })
    .map((edge) =>
      atEdge(edge, `The edge of command ${quoted(edge.source)} has no condition: it is never taken`),
    );

export const commandTooMany: Rule = ({ flow }) => {
  const counted = new Set(listCommands(flow));
  return [...flow.nodesById.values()]
    .filter((node) => isCommand(node) && !counted.has(node))
    .map((node) => atNode(node, `${quoted(node.id)} is one command more than ${limits.commandsMax}`));
};

export const resumeIgnored: Rule = ({ nodes, walk, reachable, interruption }) => {
  const called = reachableFrom(walk, interruption?.targets ?? []);
  return nodes.flatMap((node, vertex) => {
    const resume = node.raw['resume'];
    if (node.type !== 'end' || resume == null || resume === false) return [];
    if (resume !== true) return [atNode(node, `\`resume\` is ${shown(resume)}, not true or false`, 'resume')];
    if (called[vertex] === 1 || (interruption !== null && reachable[vertex] === 0)) return [];
    return [atNode(node, `No command leads to ${quoted(node.id)}, so that it only ends`, 'resume')];
  });
};
