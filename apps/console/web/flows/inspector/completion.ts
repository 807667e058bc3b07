// Completions in a template: variables after `{{`, filters after `|`.
import { filters, type FilterSpec } from '@parley/flow-engine';

export interface Completion {
  readonly insert: string;
  readonly detail: string;
}
export interface Completions {
  /** Start of the typed prefix. */
  readonly from: number;
  readonly options: readonly Completion[];
}

const OPTIONS_MAX = 8;
const table: Readonly<Record<string, FilterSpec>> = filters;

/** Null when the caret is outside a placeholder or nothing matches. */
export function completionsAt(text: string, caret: number, variables: readonly string[]): Completions | null {
  const before = text.slice(0, caret);
  const open = before.lastIndexOf('{{');
  if (open === -1 || before.indexOf('}}', open) !== -1) return null;
  const inside = before.slice(open + 2);
  const pipe = inside.lastIndexOf('|');
  const typed = /[\w.]*$/.exec(inside)![0];
  const isFresh = (pipe === -1 ? inside : inside.slice(pipe + 1)).trim() === typed;
  if (!isFresh) return null;
  const known =
    pipe === -1
      ? variables.map((name) => ({ insert: name, detail: 'variable' }))
      : Object.entries(table).map(([name, { argument, meaning }]) => ({
          insert: argument?.required ? `${name}: ` : name,
          detail: meaning,
        }));
  const options = known
    .filter(({ insert }) => insert.startsWith(typed) && insert !== typed)
    .slice(0, OPTIONS_MAX);
  return options.length === 0 ? null : { from: caret - typed.length, options };
}
