// Completions at the caret of a definition: member names, and values from the engine's tables or
// the flow.
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { casts, operators, type AuthoredFlow, type AuthoredNode } from '@parley/flow-engine';
import { memberNames } from '../inspector/members.ts';
import { engineVariables, typeRows, variablesOf } from '../tables.ts';

interface Option {
  readonly label: string;
  readonly detail?: string;
}

const named = (table: Readonly<Record<string, { readonly meaning: string }>>): Option[] =>
  Object.entries(table).map(([label, { meaning }]) => ({ label, detail: meaning }));

/** Possible values of a member. */
function valuesOf(member: string, flow: AuthoredFlow): readonly Option[] {
  switch (member) {
    case 'type':
      return typeRows.map(({ type, spec }) => ({ label: type, detail: spec.meaning }));
    case 'op':
      return named(operators);
    case 'cast':
      return named(casts);
    case 'start':
    case 'source':
    case 'target':
      return flow.nodes.map(({ id }) => ({ label: id }));
    case 'variable':
      return [...engineVariables, ...variablesOf(flow)].map((label) => ({ label }));
    default:
      return [];
  }
}

const EDGE_MEMBERS = [
  'source',
  'target',
  'variable',
  'op',
  'value',
  'nl',
  'label',
  'default',
  'case_sensitive',
];

type Tree = ReturnType<typeof syntaxTree>['topNode'];

/** @param flowNow returns the last valid definition */
export const completeDefinition =
  (flowNow: () => AuthoredFlow) =>
  (context: CompletionContext): CompletionResult | null => {
    const at = syntaxTree(context.state).resolveInner(context.pos, -1);
    if (at.name !== 'String' && at.name !== 'PropertyName') return null;
    const options = at.name === 'String' ? valuesAt(context, at, flowNow()) : membersAt(context, at);
    if (options.length === 0) return null;
    return {
      from: at.from + 1,
      to: Math.max(at.from + 1, at.to - 1),
      options: [...options],
      validFor: /^[\w.:-]*$/,
    };
  };

function valuesAt(context: CompletionContext, at: Tree, flow: AuthoredFlow): readonly Option[] {
  const key = at.parent?.name === 'Property' ? at.parent.firstChild : null;
  return key === null ? [] : valuesOf(textOf(context, key), flow);
}

/** Members that a node or an edge does not have yet. */
function membersAt(context: CompletionContext, at: Tree): Option[] {
  const object = at.parent?.parent;
  const list = object?.parent?.name === 'Array' ? object.parent.parent?.firstChild : null;
  if (object == null || list == null) return [];
  const has = object
    .getChildren('Property')
    .flatMap(({ firstChild }) => (firstChild === null ? [] : textOf(context, firstChild)));
  const known =
    textOf(context, list) === 'edges'
      ? EDGE_MEMBERS
      : textOf(context, list) === 'nodes'
        ? nodeMembers(context, object)
        : [];
  return known.filter((member) => !has.includes(member)).map((label) => ({ label }));
}

function nodeMembers(context: CompletionContext, object: Tree): string[] {
  try {
    return [
      'id',
      'type',
      ...memberNames(JSON.parse(context.state.sliceDoc(object.from, object.to)) as AuthoredNode),
    ];
  } catch {
    return ['id', 'type', ...memberNames({ id: '' })]; // not finished
  }
}

const textOf = (context: CompletionContext, { from, to }: Tree): string =>
  context.state.sliceDoc(from + 1, to - 1);
