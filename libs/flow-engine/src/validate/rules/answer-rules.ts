// Rules about how answers are read: members of collect nodes that have no effect as they stand, and the language of the flow.
import { readAnswerRules } from '../../define/answer-rules.ts';
import {
  baseLanguages,
  casts,
  languageLevel,
  spokenLanguages,
  type Cast,
  type CastSpec,
} from '@parley/answers';
import type { NodeModel } from '../../define/model.ts';
import { atNode, pointer, quoted, shown, type Finding, type Rule } from '../finding.ts';
import { attemptsMax } from '../node-kinds.ts';
import type { PatternProblem } from '../pattern-problems.ts';

export const answerRuleInvalid: Rule = ({ flow, patternProblem }) =>
  flow.nodes.filter(({ type }) => type === 'collect').flatMap((node) => answerFindings(node, patternProblem));

function answerFindings(node: NodeModel, patternProblem: PatternProblem): Finding[] {
  const { rules, problems } = readAnswerRules(node.raw, node.cast);
  const findings = problems.map(({ member, message, isIdle }) => ({
    ...atNode(node, message, member),
    ...(isIdle ? { severity: 'warning' as const } : {}),
  }));
  const problem = rules.pattern === null ? null : patternProblem(rules.pattern, false);
  if (problem !== null) findings.push(atNode(node, `The pattern cannot be used: ${problem}`, 'pattern'));
  return [...findings, ...defaultFindings(node, rules.defaultAnswer)];
}

function defaultFindings(node: NodeModel, answer: unknown): Finding[] {
  if (answer === undefined) return [];
  if (attemptsMax(node) === null) {
    const message = 'Without `max_attempts` the node asks for ever, and `default_answer` is never used';
    return [{ ...atNode(node, message, 'default_answer'), severity: 'warning' }];
  }
  const { cast } = node;
  if (cast === null || fits(cast, answer, node)) return [];
  return [atNode(node, `${shown(answer)} is no answer of the cast ${cast}`, 'default_answer')];
}

function fits(cast: Cast, answer: unknown, { raw }: NodeModel): boolean {
  const { captures } = casts[cast] as CastSpec;
  if (cast === 'json') return true;
  if (captures === 'array') return Array.isArray(answer);
  if (captures !== null && typeof answer !== captures) return false;
  if (cast !== 'enum') return cast !== 'integer' || Number.isSafeInteger(answer);
  const values = (raw.choices ?? []).map((choice) => (typeof choice === 'object' ? choice.value : choice));
  return (values as unknown[]).includes(answer);
}

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
