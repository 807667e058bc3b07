// The parts of the validation examples: nodes, edges and small flows.
import type { Severity, ValidationCode } from '../../src/index.ts';

type Members = Record<string, unknown>;

export interface Definition {
  start?: string;
  nodes: Members[];
  edges: Members[];
}

/**
 * A flow that shows the code: at this JSON pointer, with this severity (when the code has two) and
 * witness.
 */
export interface Example {
  readonly because: string;
  readonly flow: Definition;
  readonly at: string;
  readonly severity?: Severity;
  readonly witness?: readonly string[];
}

export interface NearMiss {
  readonly because: string;
  readonly flow: Definition;
}

/** Some codes with their examples. */
export type ExamplesByCode = { readonly [Code in ValidationCode]?: Examples };

export interface Examples {
  readonly shown: readonly Example[];
  readonly notShown: readonly NearMiss[];
}

export const node =
  (type: string) =>
  (id: string, more: Members = {}) => ({ id, type, ...more });
export const say = node('message');
export const ask = (id: string, variable: string | null = 'answer', more: Members = {}) =>
  node('collect')(id, { prompt: 'Well?', ...(variable === null ? {} : { variable }), ...more });
export const branch = node('branch');
export const tool = (id: string, outputVar?: string, more: Members = {}) =>
  node('tool')(id, {
    tool: 'lookup',
    ...(outputVar === undefined ? {} : { output_var: outputVar }),
    ...more,
  });
export const agent = node('autonomous');
export const handoff = node('handoff');
export const end = (id = 'end', more: Members = {}) => node('end')(id, more);
export const to = (source: string, target: string, more: Members = {}) => ({ source, target, ...more });
/** An edge with a comparison. */
export const when = (
  source: string,
  target: string,
  variable: string,
  op: string,
  value?: unknown,
  more: Members = {},
) => to(source, target, { variable, op, ...(value === undefined ? {} : { value }), ...more });
export const flow = (nodes: Members[], edges: Members[] = [], start?: string): Definition => ({
  ...(start === undefined ? {} : { start }),
  nodes,
  edges,
});

/** A branch `b` over `x`, with these edges from it to `end`; the caller brings `x`. */
export const branching = (...edges: Members[]): Definition =>
  flow(
    [branch('b'), end(), end('other')],
    edges.map((edge) => ({ source: 'b', target: 'end', ...edge })),
  );
export const fallback = { target: 'other' };
/** The same, with the conditions as [op, value] on `x`. */
export const comparing = (...comparisons: [op: string, value?: unknown, more?: Members][]): Definition =>
  branching(
    ...comparisons.map(([op, value, more]) => ({
      variable: 'x',
      op,
      ...(value === undefined ? {} : { value }),
      ...more,
    })),
    fallback,
  );

/** One agent with these members, in a complete flow. */
export const withAgent = (members: Members): Definition =>
  flow([agent('a', members), end()], [to('a', 'end')]);
export const dispatchTo = (url: unknown): Definition =>
  withAgent({ tools: ['pay'], tool_dispatch: { pay: { url } } });
export const fine: Definition = flow([say('hello'), end()], [to('hello', 'end')]);
