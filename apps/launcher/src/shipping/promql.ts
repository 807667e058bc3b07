// Which metrics, labels and label values a PromQL expression names. Enough for our own alerts and dashboards, and not a
// parser of the language: `npm run test:cluster` has promtool for that. Used by tests.

export interface MetricUse {
  readonly name: string;
  /** Label → the values that it is compared with; a regular expression is split at its bars where it is nothing else. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
}

/** Every metric of an expression. Names before a parenthesis are functions, and words of the language are no metrics. */
export function metricsIn(expr: string): MetricUse[] {
  const bare = withoutGrouping(expr);
  return [...bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?(\s*\()?/g)]
    .filter(([text, name, , call]) => !call && !WORDS.has(name!) && !/^\d/.test(text))
    .map(([, name, matchers = '']) => ({ name: name!, labels: labelsIn(matchers) }));
}

/** Labels that are kept by `by (…)`, as far as an expression names them. */
export function groupingsIn(expr: string): string[] {
  return [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(',').map((label) => label.trim()),
  );
}

const WORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'unless',
  'offset',
  'bool',
  'on',
  'ignoring',
  'm',
  'h',
  's',
]);

/** Leaves out `by (…)`, ranges (`[5m]`) and durations, whose words look like metrics. */
function withoutGrouping(expr: string): string {
  return expr
    .replaceAll(/\b(by|without)\s*\([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\boffset\s+\w+/g, '');
}

function labelsIn(matchers: string): Map<string, string[]> {
  return new Map(
    [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label, operator, value]) => [
      label!,
      operator!.endsWith('~') ? (/^[\w|-]+$/.test(value!) ? value!.split('|') : []) : [value!],
    ]),
  );
}
