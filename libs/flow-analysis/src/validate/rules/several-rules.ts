// Rules about answers to several questions at once: `also` and `skip_if_set`
// (docs/flow-language.md#several-answers-at-once).
import { standsAmongOthers } from '@parley/answers';
import {
  listOtherQuestions,
  questionsByVariable,
  toSeveralSpec,
} from '@parley/flow-engine/compile/other-questions';
import { readAnswerRules } from '@parley/flow-engine/define/answer-rules';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { atNode, quoted, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';

const readAlso = ({ raw, cast, type }: NodeModel): readonly string[] =>
  type === 'collect' ? readAnswerRules(raw, cast).rules.also : [];

export const alsoUnknown: Rule = ({ flow }) => {
  const byVariable = questionsByVariable(flow);
  return flow.nodes.flatMap((node) =>
    readAlso(node).flatMap((name, place): Finding[] => {
      if (name === node.raw.variable?.trim())
        return [atNode(node, `${quoted(name)} is the variable of this question itself`, 'also', place)];
      if (byVariable.has(name)) return [];
      return [atNode(node, `No collect node captures ${quoted(name)}`, 'also', place)];
    }),
  );
};

export const alsoIgnored: Rule = ({ flow }) => {
  const byVariable = questionsByVariable(flow);
  return flow.nodes.flatMap((node) => {
    const names = readAlso(node);
    if (names.length > 0 && (node.cast === 'json' || node.cast === 'list'))
      return [
        atNode(node, `An answer of the cast ${node.cast} is taken as it is and fills nothing else`, 'also'),
      ];
    return names.flatMap((name, place): Finding[] => {
      if (names.indexOf(name) < place) return [atNode(node, `${quoted(name)} is named twice`, 'also', place)];
      const other = byVariable.get(name);
      if (other === undefined || name === node.raw.variable?.trim()) return [];
      const why = whyNeverFilled(other, flow.language);
      return why === null ? [] : [atNode(node, `${quoted(name)} is never filled: ${why}`, 'also', place)];
    });
  });
};

function whyNeverFilled(other: NodeModel, language: string | null): string | null {
  if (other.cast === null || standsAmongOthers(toSeveralSpec(other, language))) return null;
  return other.cast === 'string'
    ? `${quoted(other.id)} takes any text; a \`pattern\` from ^ to $ tells which word it is`
    : `an answer of the cast ${other.cast} belongs to its own question`;
}

export const skipSuggested: Rule = ({ flow }) => {
  const byVariable = questionsByVariable(flow);
  const filled = new Set(flow.nodes.flatMap((node) => listFillable(node, byVariable)));
  return [...filled]
    .filter(({ skips, raw }) => !skips && raw['skip_if_set'] == null)
    .map((node) =>
      atNode(
        node,
        `${quoted(node.id)} is asked also where another answer has filled its variable`,
        'variable',
      ),
    );
};

const listFillable = (node: NodeModel, byVariable: ReadonlyMap<string, NodeModel>) =>
  node.type === 'collect' ? listOtherQuestions(node, byVariable) : [];
