// Rules about how answers are read: members of collect nodes without effect, and the language of
// the flow.
import { readAnswerRules, type AnswerRules } from '@parley/flow-engine/define/answer-rules';
import {
  baseLanguages,
  casts,
  languageLevel,
  spokenLanguages,
  type CastRules,
  type CastSpec,
} from '@parley/answers';
import { toTypedDefault } from '@parley/flow-engine/read/default-answer';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { atNode, pointer, quoted, shown, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { attemptsMax } from '../node-kinds.ts';
import type { PatternProblem } from '../pattern-problems.ts';

export const answerRuleInvalid: Rule = ({ flow, patternProblem }) =>
  flow.nodes.flatMap((node) => {
    if (node.type === 'collect') return answerFindings(node, flow.language, patternProblem);
    const isWrong = node.type === 'global' && !isFlagOrNothing(node.raw['skip_if_set']);
    return isWrong ? [atNode(node, '`skip_if_set` must be true or false', 'skip_if_set')] : [];
  });

const isFlagOrNothing = (value: unknown): boolean => value == null || typeof value === 'boolean';

function answerFindings(node: NodeModel, language: string | null, patternProblem: PatternProblem): Finding[] {
  const { rules, problems } = readAnswerRules(node.raw, node.cast);
  const findings = problems.map(({ member, message, isIdle }) => ({
    ...atNode(node, message, member),
    ...(isIdle ? { severity: 'warning' as const } : {}),
  }));
  const problem = rules.pattern === null ? null : patternProblem(rules.pattern, false);
  if (problem !== null) findings.push(atNode(node, `The pattern cannot be used: ${problem}`, 'pattern'));
  return [...findings, ...defaultFindings(node, language, rules.defaultAnswer)];
}

function defaultFindings(node: NodeModel, language: string | null, answer: unknown): Finding[] {
  if (answer === undefined) return [];
  if (attemptsMax(node) === null) {
    const message = 'Without `max_attempts` the node asks for ever, and `default_answer` is never used';
    return [{ ...atNode(node, message, 'default_answer'), severity: 'warning' }];
  }
  const { cast, raw } = node;
  const { rules } = readAnswerRules(raw, cast);
  const castRules: CastRules = {
    choices: raw.choices ?? [],
    defaultRegion: raw.default_region ?? null,
    language,
    prefer: rules.prefer,
    dateOrder: rules.dateOrder,
    units: rules.units,
  };
  const value = toTypedDefault(cast, castRules, answer);
  if (cast === null || (value !== undefined && isWithin(value, rules))) return [];
  const message =
    value === undefined
      ? `${shown(answer)} is no answer of the cast ${cast}`
      : `${shown(answer)} is not within \`min\` and \`max\``;
  return [atNode(node, message, 'default_answer')];
}

/** Numeric bounds only; those that are days depend on the turn. */
function isWithin(value: unknown, { min, max }: AnswerRules): boolean {
  if (typeof value !== 'number') return true;
  return (typeof min !== 'number' || value >= min) && (typeof max !== 'number' || value <= max);
}

export const readerNotConfigured: Rule = ({ flow, options }) =>
  options.hasExtractor !== false
    ? []
    : flow.nodes
        .filter(
          ({ type, raw, cast }) => type === 'collect' && readAnswerRules(raw, cast).rules.readWith !== null,
        )
        .map((node) =>
          atNode(node, 'No extractor model is configured, so that nobody reads again', 'read_with'),
        );

export const languageNotSpoken: Rule = ({ flow }) => {
  const { language } = flow;
  if (language === null || languageLevel(language) !== 'none') return [];
  const names = spokenCasts(flow.nodes);
  if (names === '') return [];
  const known = [...spokenLanguages, ...baseLanguages].join(', ');
  const message = `${names} cannot read words in ${quoted(language)}; these can be read: ${known}`;
  return [{ message, path: pointer('language') }];
};

export const languageBasic: Rule = ({ flow }) => {
  const { language } = flow;
  if (language === null || languageLevel(language) !== 'basic') return [];
  const names = spokenCasts(flow.nodes);
  if (names === '') return [];
  const message = `${names} read ${quoted(language)} only where the whole answer is the value`;
  return [{ message, path: pointer('language') }];
};

/** Casts of the flow that read words, for a message. */
function spokenCasts(nodes: readonly NodeModel[]): string {
  const used = new Set(
    nodes.flatMap(({ type, cast }) => (type === 'collect' && cast !== null ? [cast] : [])),
  );
  return [...used].filter((cast) => (casts[cast] as CastSpec).spoken === true).join(', ');
}
