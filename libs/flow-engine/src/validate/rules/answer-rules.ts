// Rules about how answers are read: members of collect nodes that have no effect as they stand, and the language of the flow.
import { readAnswerRules } from '../../define/answer-rules.ts';
import { casts, type Cast, type CastSpec } from '@parley/answers';
import type { NodeModel } from '../../define/model.ts';
import { languageOf, spokenLanguages } from '@parley/answers';
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
  if (language === null || languageOf(language) !== null) return [];
  const used = new Set(
    flow.nodes.flatMap(({ type, cast }) => (type === 'collect' && cast !== null ? [cast] : [])),
  );
  const silent = [...used].filter((cast) => (casts[cast] as CastSpec).spoken === true);
  if (silent.length === 0) return [];
  const names = silent.join(', ');
  const message = `${names} cannot read ${quoted(language)}; spoken are ${spokenLanguages.join(', ')}`;
  return [{ message, path: pointer('language') }];
};
