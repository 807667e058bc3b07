// Rules about the examples of branches (docs/flow-language.md#examples).
import { normaliseUtterance } from '@parley/answers';
import { trainClassifier } from '@parley/flow-engine/classify/classifier';
import { isCommand, listCommandEdges, priorities } from '@parley/flow-engine/define/commands';
import { exampleMembers, readExampleList, readExamples } from '@parley/flow-engine/define/examples';
import { limits } from '@parley/flow-engine/define/limits';
import type { EdgeModel, FlowModel } from '@parley/flow-engine/define/model';
import { describeCondition } from '../describe.ts';
import { atEdge, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';

export const examplesInvalid: Rule = ({ flow }) =>
  flow.edges.flatMap((edge): Finding[] =>
    exampleMembers.flatMap((member) => {
      const { problem } = readExampleList(edge.raw, member);
      return problem === null ? [] : [atEdge(edge, problem, member)];
    }),
  );

export const examplesUnused: Rule = ({ flow }) =>
  flow.edges.flatMap((edge): Finding[] =>
    edge.kind === 'nl'
      ? []
      : exampleMembers.flatMap((member) =>
          readExampleList(edge.raw, member).texts.length === 0
            ? []
            : [atEdge(edge, `\`${member}\` of an edge without \`nl\` is not read`, member)],
        ),
  );

export const examplesFew: Rule = ({ flow }) =>
  flow.edges.flatMap((edge): Finding[] => {
    const { length } = edge.kind === 'nl' ? examplesOf(edge) : [];
    const counted = `${length} example${length === 1 ? '' : 's'}, of ${limits.examplesFew} or more`;
    return length > 0 && length < limits.examplesFew ? [atEdge(edge, counted, 'examples')] : [];
  });

export const examplesOverlap: Rule = ({ flow }) =>
  listBranches(flow).flatMap(({ own, commands }) => {
    const firsts = new Map<string, EdgeModel>();
    return [...commands, ...own].flatMap((edge) =>
      examplesOf(edge).flatMap((text, place): Finding[] => {
        const words = normaliseUtterance(text);
        const first = firsts.get(words);
        firsts.set(words, first ?? edge);
        if (first === undefined || first === edge || !own.includes(edge)) return [];
        const message = `${describeCondition(first)} of edge ${first.index} has this example too`;
        return [atEdge(edge, message, 'examples', place)];
      }),
    );
  });

export const exampleMisread: Rule = ({ flow }) => {
  let left: number = limits.examplesLeftOutMax;
  return listBranches(flow).flatMap(({ own, commands }) => {
    const edges = [...own, ...commands];
    left -= edges.reduce((sum, edge) => sum + examplesOf(edge).length, 0);
    if (left < 0) return [];
    const classifier = trainClassifier(
      edges.map(({ label, nl, raw }) => ({
        described: `${label ?? ''} ${nl ?? ''}`,
        ...(readExamples(raw) ?? { examples: [], counterExamples: [] }),
      })),
    );
    return [...classifier.leaveOneOut()].flatMap(({ branch, example, decided }): Finding[] => {
      const edge = edges[branch]!;
      if (decided === null || !decided.isSure || decided.branch === branch || !own.includes(edge)) return [];
      const other = edges[decided.branch]!;
      const message = `Without itself, it would go to ${describeCondition(other)} of edge ${other.index}`;
      return [atEdge(edge, message, 'examples', examplesOf(edge).indexOf(example))];
    });
  });
};

const examplesOf = ({ raw }: EdgeModel): readonly string[] => readExamples(raw)?.examples ?? [];

/** Edges that are decided together: those of a node, and at a question those of all commands. */
function listBranches(flow: FlowModel) {
  const isNl = ({ kind }: EdgeModel) => kind === 'nl';
  const commands = priorities.flatMap((priority) => listCommandEdges(flow, priority)).filter(isNl);
  const branches = [{ own: commands, commands: [] as readonly EdgeModel[] }];
  for (const [source, edges] of flow.outgoing) {
    const node = flow.nodesById.get(source);
    const own = edges.filter(isNl);
    if (node === undefined || isCommand(node) || !own.some((edge) => readExamples(edge.raw) !== null))
      continue;
    branches.push({ own, commands: node.type === 'collect' ? commands : [] });
  }
  return branches;
}
