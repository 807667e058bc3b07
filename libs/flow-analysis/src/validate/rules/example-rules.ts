// Rules about the examples of branches (docs/flow-language.md#examples).
import { normaliseUtterance } from '@parley/answers';
import { trainClassifier } from '@parley/flow-engine/classify/classifier';
import { createIndex } from '@parley/flow-engine/classify/example-index';
import { readFeatures } from '@parley/flow-engine/classify/features';
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

export const examplesOverlap: Rule = ({ flow }) => {
  let left: number = limits.examplesLeftOutMax;
  return listBranches(flow).flatMap(({ own, commands }) => {
    const placed = [...commands, ...own].flatMap((edge) => listPlaced(edge));
    left -= placed.length;
    const findNear = left < 0 ? () => null : createNearFinder(placed);
    const firsts = new Map<string, EdgeModel>();
    return placed.flatMap(({ edge, place, words }, at): Finding[] => {
      const first = firsts.get(words);
      firsts.set(words, first ?? edge);
      if (first === edge || !own.includes(edge)) return [];
      const near = first === undefined ? findNear(at) : null;
      const other = first ?? near?.edge;
      if (other === undefined) return [];
      const has = near === null ? 'this example too' : `nearly the same example, \`${near.text}\``;
      const message = `${describeCondition(other)} of edge ${other.index} has ${has}`;
      return [atEdge(edge, message, 'examples', place)];
    });
  });
};

interface PlacedExample {
  readonly edge: EdgeModel;
  readonly place: number;
  readonly text: string;
  readonly words: string;
}

const listPlaced = (edge: EdgeModel): PlacedExample[] =>
  examplesOf(edge).map((text, place) => ({ edge, place, text, words: normaliseUtterance(text) }));

/** From 0 to 1: texts that differ in frequent words only are at least so near. */
const nearMin = 0.85;

/** Finds an earlier example of another edge with the same words or nearly the same letters. */
function createNearFinder(placed: readonly PlacedExample[]): (at: number) => PlacedExample | null {
  const rows = placed.map(({ text }) => ({
    branch: 0,
    kind: 'example' as const,
    text,
    features: readFeatures(text),
  }));
  const index = createIndex(rows, 1);
  const sorted = placed.map(({ words }) => words.split(' ').sort().join(' '));
  return (at) => {
    const likeness = index.compare(rows[at]!.features);
    const isNear = (other: number) =>
      placed[other]!.edge !== placed[at]!.edge &&
      (likeness[other]! >= nearMin || sorted[other] === sorted[at]);
    for (let other = 0; other < at; other++) if (isNear(other)) return placed[other]!;
    return null;
  };
}

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
