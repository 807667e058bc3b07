// Spells numbers by the rules of Unicode CLDR (UTS 35 part 3, Rule-Based Number Formatting), as the
// package cldr-rbnf holds them. Whole numbers only.

/**
 * A rule set by its name; a row is a descriptor ("20", "1100/100", "-x") and a body. The file's
 * name is among them.
 */
export type RuleSets = Readonly<Record<string, RuleRows | string>>;

type RuleRows = readonly (readonly [string, string])[];

export interface Speller {
  /** Names of the rule sets, such as `%spellout-cardinal-feminine`. */
  readonly names: readonly string[];
  /**
   * The number as the rule set writes it; null where its rules write it in digits or not at all.
   */
  spell(ruleSet: string, number: number): string | null;
  /** The word before a negative number; null where the set has none. */
  minusOf(ruleSet: string): string | null;
}

interface Rule {
  readonly base: number;
  /** The divisor for ←; its remainder is →. */
  readonly divisor: number;
  /** Omits the parts in brackets for a multiple of the divisor. */
  readonly parts: readonly Part[];
  readonly partsOfMultiple: readonly Part[];
}

/**
 * A literal text; or a plural form; or a number, spelled by a rule set, by this one ("") or by the
 * rule before it.
 */
type Part =
  | { readonly kind: 'text' | 'plural'; readonly text: string }
  | { readonly kind: 'head' | 'rest' | 'restByRuleBefore' | 'same'; readonly text: string };

interface CompiledSet {
  readonly rules: readonly Rule[];
  readonly minus: string | null;
}

/** Cached once per rule set below this number: all others consist of them. */
const rememberedBelow = 1000;

export function compileRules(sets: RuleSets, locale: string): Speller {
  const compiled = new Map(Object.entries(sets).flatMap(([name, rows]) => compileSet(name, rows)));
  const plurals = new Intl.PluralRules(locale);
  const remembered = new Map<string, string | null>();

  function spell(name: string, number: number): string | null {
    const rules = compiled.get(name)?.rules ?? [];
    if (number >= rememberedBelow) return apply(name, rules, ruleFor(rules, number), number);
    const key = `${name} ${number}`;
    if (!remembered.has(key)) remembered.set(key, apply(name, rules, ruleFor(rules, number), number));
    return remembered.get(key)!;
  }

  function apply(name: string, rules: readonly Rule[], at: number, number: number): string | null {
    const rule = rules[at];
    if (rule === undefined) return null;
    const [head, rest] = [Math.floor(number / rule.divisor), number % rule.divisor];
    let whole = '';
    for (const { kind, text } of rest === 0 ? rule.partsOfMultiple : rule.parts) {
      const part =
        kind === 'text'
          ? text
          : kind === 'plural'
            ? pluralForm(text, plurals.select(head))
            : kind === 'restByRuleBefore'
              ? apply(name, rules, at - 1, rest)
              : spellPart(text, name, kind === 'head' ? head : kind === 'rest' ? rest : number);
      if (part === null) return null;
      whole += part;
    }
    return whole.includes('ERROR') ? null : whole;
  }

  /** Rule sets are named with %; anything else is a format in digits. */
  const spellPart = (ruleSet: string, own: string, number: number): string | null =>
    ruleSet === '' ? spell(own, number) : ruleSet.startsWith('%') ? spell(ruleSet, number) : null;

  return {
    names: [...compiled.keys()],
    spell,
    minusOf: (name) => compiled.get(name)?.minus ?? null,
  };
}

function compileSet(name: string, rows: RuleRows | string): [string, CompiledSet][] {
  if (typeof rows === 'string') return [];
  const rules = rows.flatMap(([descriptor, body]) => compileRule(descriptor, toBody(body)));
  const negative = rows.find(([descriptor]) => descriptor === '-x')?.[1];
  const minus = negative === undefined ? null : toBody(negative).replace(/→.*$/, '').trim();
  return [[name, { rules, minus }]];
}

/** A body ends with a semicolon; an apostrophe before it keeps the blanks that follow. */
const toBody = (body: string): string => body.replace(/;$/, '').replace(/^'/, '');

/** Rules of fractions, infinity and negative numbers have no base value. */
function compileRule(descriptor: string, body: string): Rule[] {
  const numbers = /^(\d+)(?:\/(\d+))?(>*)$/.exec(descriptor.replaceAll(',', ''));
  if (numbers === null) return [];
  const [base, radix, lower] = [Number(numbers[1]), Number(numbers[2] ?? 10), numbers[3]!.length];
  let divisor = 1;
  let exponent = 0;
  for (; divisor * radix <= base; exponent++) divisor *= radix;
  return [
    {
      base,
      divisor: radix ** Math.max(0, exponent - lower),
      parts: parseParts(body.replace(/\[([^\]]*)\]/g, '$1')),
      partsOfMultiple: parseParts(body.replace(/\[([^\]]*)\]/g, '')),
    },
  ];
}

const substitution = /\$\(cardinal,([^$]*)\)\$|←([^←]*)←|(→→→)|→([^→]*)→|=([^=]*)=/g;

function parseParts(body: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of body.matchAll(substitution)) {
    const [all, plural, head, ruleBefore, rest, same = ''] = match;
    if (match.index > end) parts.push({ kind: 'text', text: body.slice(end, match.index) });
    end = match.index + all.length;
    if (plural !== undefined) parts.push({ kind: 'plural', text: plural });
    else if (head !== undefined) parts.push({ kind: 'head', text: head });
    else if (ruleBefore !== undefined) parts.push({ kind: 'restByRuleBefore', text: '' });
    else parts.push(rest === undefined ? { kind: 'same', text: same } : { kind: 'rest', text: rest });
  }
  if (end < body.length) parts.push({ kind: 'text', text: body.slice(end) });
  return parts;
}

/**
 * The rule with the greatest base value up to the number. If its body has two parts, and the number
 * is a multiple of the divisor but the base value is not, the rule before it.
 */
function ruleFor(rules: readonly Rule[], number: number): number {
  const at = rules.findLastIndex(({ base }) => base <= number);
  const rule = rules[at];
  if (rule === undefined || at === 0) return at;
  const kinds = new Set(rule.parts.map(({ kind }) => kind));
  const hasBoth = kinds.has('head') && kinds.has('rest');
  return hasBoth && number % rule.divisor === 0 && rule.base % rule.divisor !== 0 ? at - 1 : at;
}

/** Of "one{tusen}other{tusind}", the form of a plural category. */
function pluralForm(forms: string, category: string): string {
  const byCategory = new Map([...forms.matchAll(/(\w+)\{([^}]*)\}/g)].map((form) => [form[1], form[2]]));
  return byCategory.get(category) ?? byCategory.get('other') ?? '';
}
