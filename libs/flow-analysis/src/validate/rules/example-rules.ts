// Rules about the examples of branches (docs/flow-language.md#examples).
import { exampleMembers, readExampleList } from '@parley/flow-engine/define/examples';
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
