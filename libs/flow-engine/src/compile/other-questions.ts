// The other questions whose variables an answer may fill (`also`), with the rules of each
// (docs/flow-language.md#several-answers-at-once).
import { compileSeveral, type CastRules, type SeveralReader, type SeveralSpec } from '@parley/answers';
import { readAnswerRules } from '../define/answer-rules.ts';
import { textOrNull } from '../define/definition.ts';
import type { FlowModel, NodeModel } from '../define/model.ts';
import type { CollectNode, CompiledNode } from './compiled.ts';

export interface OtherQuestions {
  readonly read: SeveralReader;
  /** By the index of a found value. */
  readonly questions: readonly CollectNode[];
  readonly models: readonly NodeModel[];
}

/** The rules that a cast reads from its node and flow. */
export function readCastRules({ raw, cast }: NodeModel, language: string | null): CastRules {
  const { strict, prefer, dateOrder, units, reading } = readAnswerRules(raw, cast).rules;
  return {
    choices: raw.choices ?? [],
    defaultRegion: raw.default_region ?? null,
    language,
    strict,
    prefer,
    dateOrder,
    units,
    reading,
  };
}

export function toSeveralSpec(node: NodeModel, language: string | null): SeveralSpec {
  const { pattern } = readAnswerRules(node.raw, node.cast).rules;
  const isWord = pattern !== null && /^\^.*\$$/s.test(pattern);
  return { cast: node.cast, ...readCastRules(node, language), isWord };
}

/** By variable: the first collect node that captures it. */
export function questionsByVariable({ nodes }: Pick<FlowModel, 'nodes'>): ReadonlyMap<string, NodeModel> {
  const asking = nodes.filter(({ type, raw }) => type === 'collect' && textOrNull(raw.variable) !== null);
  return new Map(asking.toReversed().map((node) => [node.raw.variable!.trim(), node] as const));
}

/** The questions named in `also` of a node, without duplicates. */
export function listOtherQuestions(
  { raw, cast }: NodeModel,
  byVariable: ReadonlyMap<string, NodeModel>,
): readonly NodeModel[] {
  const names = new Set(readAnswerRules(raw, cast).rules.also);
  names.delete(raw.variable?.trim() ?? '');
  return [...names].flatMap((name) => byVariable.get(name) ?? []);
}

/** Null = the answer fills nothing else. */
export function compileOthers(
  node: NodeModel,
  byVariable: ReadonlyMap<string, NodeModel>,
  nodes: ReadonlyMap<string, CompiledNode>,
  language: string | null,
): OtherQuestions | null {
  const others = listOtherQuestions(node, byVariable);
  if (others.length === 0) return null;
  return {
    read: compileSeveral(
      toSeveralSpec(node, language),
      others.map((other) => toSeveralSpec(other, language)),
    ),
    questions: others.map(({ id }) => nodes.get(id) as CollectNode),
    models: others,
  };
}
