// Rules about what a node needs, and about members that look like typos.
import { distance } from 'fastest-levenshtein';
import { isSupportedCountry } from 'libphonenumber-js/min';
import { authoredEdge, authoredNode, authoredWebhook } from '@parley/flow-engine/define/definition';
import { answerMembers } from '@parley/flow-engine/define/answer-rules';
import { comparedMembers, listComparisons } from '@parley/flow-engine/define/conditions';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { readVariants } from '@parley/flow-engine/define/variants';
import { waitMembers } from '@parley/flow-engine/define/waits';
import { atComparison, atEdge, atNode, quoted, shown, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { isWalked } from '../node-kinds.ts';

const isBlank = (text: string | null | undefined): boolean => text == null || text.trim() === '';

/** Nodes of a type that lack something: one finding each. */
const lacking =
  (type: NodeModel['type'], member: string, lacks: (node: NodeModel) => boolean, what: string): Rule =>
  ({ flow }) =>
    flow.nodes
      .filter((node) => node.type === type && lacks(node))
      .map((node) => atNode(node, `${quoted(node.id)} ${what}`, member));

const saysNothing = (node: NodeModel, own: string | null | undefined): boolean =>
  isBlank(own) && readVariants(node.raw).texts.length === 0;

export const toolWithoutName = lacking('tool', 'tool', ({ raw }) => isBlank(raw.tool), 'names no tool');
export const handoffWithoutTarget = lacking(
  'handoff',
  'target',
  ({ raw }) => isBlank(raw.target),
  'says not to whom',
);
export const messageWithoutText = lacking(
  'message',
  'text',
  (node) => saysNothing(node, node.raw.text),
  'says nothing',
);
export const collectWithoutPrompt = lacking(
  'collect',
  'prompt',
  (node) => saysNothing(node, node.raw.prompt),
  'waits without a question',
);
export const agentWithoutGoal = lacking('autonomous', 'goal', ({ raw }) => isBlank(raw.goal), 'has no goal');

export const regionUnknown: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    const region = node.raw.default_region;
    if (node.type !== 'collect' || node.cast !== 'phone' || isBlank(region)) return [];
    if (isSupportedCountry(region!.trim().toUpperCase())) return [];
    return [atNode(node, `${quoted(region!)} is no country of ISO 3166`, 'default_region')];
  });

export const waitInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node): Finding[] =>
    Object.entries(waitMembers).flatMap(([member, { type }]) => {
      const value = node.raw[member];
      if (value === undefined || value === null || typeof node.type !== 'string') return [];
      if (node.type === type)
        return typeof value === 'boolean'
          ? []
          : [atNode(node, `${member} is ${shown(value)}, neither true nor false`, member)];
      if (value !== true || !isWalked(node)) return [];
      return [
        { ...atNode(node, `Only a ${type} waits so: ${member} has no effect`, member), severity: 'warning' },
      ];
    }),
  );

const nodeMembers = [...Object.keys(authoredNode.shape), ...answerMembers, 'variants'];
/** Members that only one type has. */
const membersOfType: Readonly<Partial<Record<NonNullable<NodeModel['type']>, readonly string[]>>> = {
  webhook: Object.keys(authoredWebhook.shape),
  ...Object.fromEntries(Object.entries(waitMembers).map(([member, { type }]) => [type, [member]])),
};
const edgeMembers = Object.keys(authoredEdge.shape);

/** The names of other products. */
const nodeAliases: Readonly<Record<string, string>> = {
  question: 'prompt',
  content: 'text',
  say: 'text',
  options: 'choices',
  retries: 'max_attempts',
  next: 'an edge',
  goto: 'an edge',
  transitions: 'edges',
};
/** Names that edit distance does not find, because other words are as near. */
const endAliases: Readonly<Record<string, string>> = {
  ...nodeAliases,
  Resume: 'resume',
  resum: 'resume',
  resumes: 'resume',
  resumed: 'resume',
  return: 'resume',
};
const edgeAliases: Readonly<Record<string, string>> = {
  operator: 'op',
  operand: 'value',
  var: 'variable',
  otherwise: 'default',
  else: 'default',
};

export const unknownMember: Rule = ({ flow }) => [
  ...flow.nodes.filter(isOurs).flatMap((node) => {
    const known = [...nodeMembers, ...(membersOfType[node.type!] ?? [])];
    return findTypos(node.raw, known, node.type === 'end' ? endAliases : nodeAliases).map(
      ({ member, message }) => atNode(node, message, member),
    );
  }),
  ...flow.edges.flatMap((edge) =>
    findTypos(edge.raw, edgeMembers, edgeAliases).map(({ member, message }) => atEdge(edge, message, member)),
  ),
  ...flow.edges.flatMap((edge) =>
    (edge.group?.members ?? []).flatMap((compared) => {
      const [joint, place] = compared.at as readonly [string, number];
      const entry = (edge.raw[joint] as readonly unknown[])[place];
      if (typeof entry !== 'object' || entry === null) return [];
      return findTypos(entry, comparedMembers, edgeAliases).map(({ member, message }) =>
        atComparison(edge, compared, message, member),
      );
    }),
  ),
];

/** Other systems read the members of triggers and reviews. */
const isOurs = ({ type }: NodeModel): boolean => type !== null && type !== 'trigger' && type !== 'qa';

interface Typo {
  readonly member: string;
  readonly message: string;
}

/** Unknown members that look like a known one. Others are the author's own. */
function findTypos(raw: object, known: readonly string[], aliases: Readonly<Record<string, string>>): Typo[] {
  const found: Typo[] = [];
  for (const member of Object.keys(raw)) {
    if (known.includes(member)) continue;
    const meant = Object.hasOwn(aliases, member) ? aliases[member]! : findNearest(member, known);
    if (meant !== null && !Object.hasOwn(raw, meant))
      found.push({ member, message: `${quoted(member)} is not read; meant is perhaps ${meant}` });
  }
  return found;
}

/** A known member one letter away, or two if it is long enough to be no other word. */
function findNearest(member: string, known: readonly string[]): string | null {
  if (member.length < 3 || member.length > memberCharsMax) return null;
  const name = member.toLowerCase().replaceAll('-', '_');
  let best: string | null = null;
  for (const candidate of known) {
    const apart = Math.abs(candidate.length - name.length) > 2 ? Infinity : distance(candidate, name);
    const near = candidate.length >= 6 ? 2 : 1;
    if (apart <= near && candidate.length > 2) best ??= candidate;
  }
  return best;
}

/** No known member is near a longer one. */
const memberCharsMax = 30;

/** A pattern in JavaScript syntax: its slashes and flags would be searched for. */
const javascriptPattern = /^\/(.+)\/[dgimsuvy]*$/s;

export const flagIgnored: Rule = ({ flow, patternProblem }) =>
  flow.edges.flatMap((edge) =>
    listComparisons(edge).flatMap((compared): Finding[] => {
      const { op, value } = compared;
      if (op !== 'matches' && op !== 'not_matches') return [];
      const inside = typeof value === 'string' ? javascriptPattern.exec(value)?.[1] : undefined;
      // An invalid pattern is already reported.
      if (inside === undefined || patternProblem(String(value), edge.caseSensitive) !== null) return [];
      const message = `Slashes and flags are searched for as they stand; write ${quoted(inside)}`;
      return [atComparison(edge, compared, message, 'value')];
    }),
  );
