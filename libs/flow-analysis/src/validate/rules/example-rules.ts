// Rules about the examples of branches and choices (docs/flow-language.md#examples).
import { choiceValue, normaliseUtterance } from '@parley/answers';
import { trainClassifier } from '@parley/flow-engine/classify/classifier';
import { createIndex } from '@parley/flow-engine/classify/example-index';
import { readFeatures } from '@parley/flow-engine/classify/features';
import { isCommand, listCommandEdges, priorities } from '@parley/flow-engine/define/commands';
import {
  exampleMembers,
  isTaughtChoice,
  readExampleList,
  readExamples,
} from '@parley/flow-engine/define/examples';
import { limits } from '@parley/flow-engine/define/limits';
import type { EdgeModel, FlowModel, NodeModel } from '@parley/flow-engine/define/model';
import { describeCondition } from '../describe.ts';
import { atEdge, atNode, shown, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';

/** An edge or a choice that may have examples. */
interface Taught {
  /** For a message. */
  name(): string;
  readonly authored: Readonly<Record<string, unknown>>;
  /** What the classifier reads beside the examples. */
  readonly described: string;
  /** Examples decide here. */
  readonly isRead: boolean;
  at(message: string, ...member: readonly (string | number)[]): Finding;
}

const toTaughtEdge = (edge: EdgeModel): Taught => ({
  name: () => `${describeCondition(edge)} of edge ${edge.index}`,
  authored: edge.raw,
  described: `${edge.label ?? ''} ${edge.nl ?? ''}`,
  isRead: edge.kind === 'nl',
  at: (message, ...member) => atEdge(edge, message, ...member),
});

const listTaughtChoices = (node: NodeModel): readonly Taught[] =>
  (node.type === 'collect' ? (node.raw.choices ?? []) : []).map((choice, place) => {
    const value = choiceValue(choice);
    const { synonyms = [], ...authored } = typeof choice === 'object' ? choice : { value };
    return {
      name: () => `Choice ${shown(value)}`,
      authored,
      described: [value, ...(synonyms ?? [])].join(' '),
      isRead: node.cast === 'enum',
      at: (message, ...member) => atNode(node, message, 'choices', place, ...member),
    };
  });

const listTaught = (flow: FlowModel): readonly Taught[] => [
  ...flow.edges.map(toTaughtEdge),
  ...flow.nodes.flatMap(listTaughtChoices),
];

const examplesOf = ({ authored }: Taught): readonly string[] => readExamples(authored)?.examples ?? [];

export const examplesInvalid: Rule = ({ flow }) => {
  const wrong = listTaught(flow).flatMap(({ authored, at }) =>
    exampleMembers.flatMap((member): Finding[] => {
      const { problem } = readExampleList(authored, member);
      return problem === null ? [] : [at(problem, member)];
    }),
  );
  return [...wrong, ...findTooMany(flow)];
};

/** Learning compares every example with the others that are learned with it. */
function findTooMany(flow: FlowModel): readonly Finding[] {
  const { examplesTogetherMax, examplesOfFlowMax } = limits;
  let ofFlow = 0;
  return listLearned(flow).flatMap(([first, texts]): Finding[] => {
    const isFirstAbove = ofFlow <= examplesOfFlowMax && ofFlow + texts > examplesOfFlowMax;
    ofFlow += texts;
    const together = `${texts} examples are learned together, of at most ${examplesTogetherMax}`;
    if (texts > examplesTogetherMax) return [first.at(together)];
    const all = `The flow has more than ${examplesOfFlowMax} examples; those of commands count at each question`;
    return isFirstAbove ? [first.at(all)] : [];
  });
}

/** Where examples are learned: the first branch or choice there, and how many texts. */
function listLearned(flow: FlowModel): readonly (readonly [Taught, number])[] {
  const commands = listCommands(flow);
  const ofCommands = countTexts(commands);
  const learned: (readonly [Taught, number])[] = commands[0] ? [[commands[0], ofCommands]] : [];
  for (const [source, edges] of flow.outgoing) {
    const node = flow.nodesById.get(source);
    const own = edges.filter(({ kind }) => kind === 'nl').map(toTaughtEdge);
    if (node === undefined || isCommand(node) || own[0] === undefined) continue;
    const answers = node.type === 'collect' || node.type === 'tool';
    learned.push([own[0], countTexts(own) + (answers ? ofCommands : 0)]);
  }
  for (const node of flow.nodes) {
    const [first, ...others] = node.cast === 'enum' ? listTaughtChoices(node) : [];
    if (first) learned.push([first, countTexts([first, ...others])]);
  }
  return learned;
}

function countTexts(taught: readonly Taught[]): number {
  const texts = taught.flatMap(({ authored }) =>
    exampleMembers.flatMap((member) => readExampleList(authored, member).texts),
  );
  return texts.length;
}

export const examplesUnused: Rule = ({ flow }) =>
  listTaught(flow).flatMap(({ authored, isRead, at }) =>
    exampleMembers.flatMap((member): Finding[] => {
      if (isRead || readExampleList(authored, member).texts.length === 0) return [];
      return [at(`\`${member}\` is read beside \`nl\`, and of a choice with the cast enum`, member)];
    }),
  );

export const examplesFew: Rule = ({ flow }) =>
  listTaught(flow).flatMap((taught): Finding[] => {
    const { length } = taught.isRead ? examplesOf(taught) : [];
    const counted = `${length} example${length === 1 ? '' : 's'}, of ${limits.examplesFew} or more`;
    return length > 0 && length < limits.examplesFew ? [taught.at(counted, 'examples')] : [];
  });

export const examplesOverlap: Rule = ({ flow }) => {
  let left: number = limits.examplesLeftOutMax;
  return listGroups(flow).flatMap(({ own, commands }) => {
    const placed = [...commands, ...own].flatMap(listPlaced);
    left -= placed.length;
    const findNear = left < 0 ? () => null : createNearFinder(placed);
    const firsts = new Map<string, Taught>();
    return placed.flatMap(({ of, place, words }, at): Finding[] => {
      const first = firsts.get(words);
      firsts.set(words, first ?? of);
      if (first === of || !own.includes(of)) return [];
      const near = first === undefined ? findNear(at) : null;
      const other = first ?? near?.of;
      if (other === undefined) return [];
      const has = near === null ? 'this example too' : `nearly the same example, \`${near.text}\``;
      return [of.at(`${other.name()} has ${has}`, 'examples', place)];
    });
  });
};

interface PlacedExample {
  readonly of: Taught;
  readonly place: number;
  readonly text: string;
  readonly words: string;
}

const listPlaced = (of: Taught): PlacedExample[] =>
  examplesOf(of).map((text, place) => ({ of, place, text, words: normaliseUtterance(text) }));

/** From 0 to 1: texts that differ in frequent words only are at least so near. */
const nearMin = 0.85;

/** Finds an earlier example of another branch with the same words or nearly the same letters. */
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
      placed[other]!.of !== placed[at]!.of && (likeness[other]! >= nearMin || sorted[other] === sorted[at]);
    for (let other = 0; other < at; other++) if (isNear(other)) return placed[other]!;
    return null;
  };
}

export const exampleMisread: Rule = ({ flow }) => {
  let left: number = limits.examplesLeftOutMax;
  return listGroups(flow).flatMap(({ own, commands }) => {
    const all = [...own, ...commands];
    left -= all.reduce((sum, one) => sum + examplesOf(one).length, 0);
    if (left < 0) return [];
    const classifier = trainClassifier(
      all.map(({ described, authored }) => ({
        described,
        ...(readExamples(authored) ?? { examples: [], counterExamples: [] }),
      })),
    );
    return [...classifier.leaveOneOut()].flatMap(({ branch, example, decided }): Finding[] => {
      const of = all[branch]!;
      if (decided === null || !decided.isSure || decided.branch === branch || !own.includes(of)) return [];
      const message = `Without itself, it would go to ${all[decided.branch]!.name()}`;
      return [of.at(message, 'examples', examplesOf(of).indexOf(example))];
    });
  });
};

const listCommands = (flow: FlowModel): readonly Taught[] =>
  priorities
    .flatMap((priority) => listCommandEdges(flow, priority))
    .filter(({ kind }) => kind === 'nl')
    .map(toTaughtEdge);

interface Group {
  readonly own: readonly Taught[];
  readonly commands: readonly Taught[];
}

/**
 * What is decided together: the edges of a node, at a question with those of all commands, and the
 * choices of a question.
 */
function listGroups(flow: FlowModel): readonly Group[] {
  const commands = listCommands(flow);
  const groups: Group[] = [{ own: commands, commands: [] }];
  for (const [source, edges] of flow.outgoing) {
    const node = flow.nodesById.get(source);
    const own = edges.filter(({ kind }) => kind === 'nl');
    if (node === undefined || isCommand(node) || !own.some((edge) => readExamples(edge.raw) !== null))
      continue;
    groups.push({ own: own.map(toTaughtEdge), commands: node.type === 'collect' ? commands : [] });
  }
  for (const node of flow.nodes)
    if (node.cast === 'enum' && (node.raw.choices ?? []).some(isTaughtChoice))
      groups.push({ own: listTaughtChoices(node), commands: [] });
  return groups;
}
