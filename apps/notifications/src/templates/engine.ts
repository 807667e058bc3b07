// Liquid as templates of an organisation may use it (docs/notifications.md#what-a-template-may-do): no files, a few tags and filters, and
// a meter in all that works. What is not small for certain is rendered on a thread (template-renderer.ts).
import {
  Context,
  defaultOperators,
  filters,
  Liquid,
  Tag,
  TokenKind,
  toValueSync,
  type Emitter,
  type LiquidOptions,
  type Template,
  type Token,
} from 'liquidjs';
import { LRUCache } from 'lru-cache';
import {
  boundRange,
  chargeSteps,
  chargeWork,
  isRange,
  libraryLimits,
  meterFilter,
  meterOperator,
  sizeOf,
  withMeter,
  type LiquidFilter,
  type Meter,
} from './meter.ts';

/** Those whose work is bounded by the length of the template. */
const PLAIN_TAGS = ['assign', 'comment', '#', 'echo', 'if', 'raw', 'unless'];
/** `capture` is not among them: it doubles what it holds without being counted. */
const TAGS = new Set([...PLAIN_TAGS, 'break', 'case', 'continue', 'cycle', 'for']);
/** Filters whose result is at most a small multiple of their input, for all arguments. */
const PLAIN_FILTERS =
  `abs at_least at_most capitalize ceil date default divided_by downcase escape escape_once first floor last lstrip
  minus modulo newline_to_br plus raw round rstrip size strip strip_newlines times truncate truncatewords upcase`.split(
    /\s+/,
  );
/** Patterns (`strip_html`) and `replace_first` are not among them. */
const FILTERS = [
  ...PLAIN_FILTERS,
  ...'append compact concat join json map prepend remove replace reverse slice sort split sum uniq url_encode'.split(
    ' ',
  ),
];
/** What may have any name, and no cost. */
const LOGIC = new Set(['and', 'or', 'not']);

/** Of all parsed parts that are in memory, in characters. */
const PARSED_CHARS_MAX = 100_000;
/** Parsing takes some ten microseconds for each output and tag, and more for long ones: so much is parsed where requests are answered. */
const SMALL_CHARS = 32 * 1024;
const SMALL_PLACES = 40;
const SMALL_CODE_CHARS = 2_000;

export type Format = 'text' | 'html';

interface Parsed {
  readonly templates: Template[];
  /** No loop, no range, no filter that multiplies: its work is bounded by the lengths of template and data. */
  readonly isPlain: boolean;
}

const options: LiquidOptions = {
  strictFilters: true,
  strictVariables: true,
  // `{% if x %}` and `default` may ask for what is not there.
  lenientIf: true,
  ownPropertyOnly: true,
  // There is no file system, whatever asks for one.
  templates: {},
  operators: Object.fromEntries(
    Object.entries(defaultOperators).map(([name, operator]) => [
      name,
      LOGIC.has(name) ? operator : meterOperator(operator as never),
    ]),
  ) as never,
};

function createEngine(more: LiquidOptions): Liquid {
  const engine = new Liquid({ ...options, ...more });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  for (const filter of Object.keys(engine.filters)) delete engine.filters[filter];
  for (const name of FILTERS)
    engine.registerFilter(name, meterFilter(name, filters[name] as LiquidFilter) as never);
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, ...rest) => {
    chargeSteps(1 + templates.length);
    return renderTemplates(templates, ...rest);
  };
  return engine;
}

const escape = meterFilter('escape', filters['escape'] as LiquidFilter) as { readonly handler: never };

/** In HTML what data brings is escaped, unless the template says `raw`. */
const engines: Readonly<Record<Format, Liquid>> = {
  text: createEngine({}),
  html: createEngine({ outputEscape: escape.handler }),
};

const parsed = new LRUCache<string, Parsed>({
  maxSize: PARSED_CHARS_MAX,
  sizeCalculation: (_parsed, key) => key.length,
});

/** What is wrong with a template, or with the data for it: safe to show, it is their own. */
export class TemplateProblem extends Error {
  /** A name that the data does not have. */
  readonly missing: boolean;

  constructor(message: string, missing = false) {
    super(message);
    this.missing = missing;
  }
}

/** @throws TemplateProblem */
export function parseTemplate(format: Format, source: string): Parsed {
  const key = `${format} ${source}`;
  const known = parsed.get(key);
  if (known) return known;
  try {
    const templates = engines[format].parse(source);
    const one = { templates, isPlain: boundAll(templates) };
    parsed.set(key, one);
    return one;
  } catch (error) {
    throw problemOf(error);
  }
}

/** So short that it may be parsed where requests are answered. */
export function isSmallSource(source: string): boolean {
  if (source.length > SMALL_CHARS || source.split(/\{[{%]/, SMALL_PLACES + 2).length > SMALL_PLACES + 1)
    return false;
  const code = source.match(/\{[{%][^]*?[%}]\}/g) ?? [];
  return code.reduce((sum, { length }) => sum + length, 0) <= SMALL_CODE_CHARS;
}

/** Members of parsed parts that are no parsed parts. */
const ASIDE = new Set(['liquid', 'tokenizer', 'input']);

/** Bounds every range; whether it is plain. */
function boundAll(templates: readonly Template[]): boolean {
  let isPlain = true;
  const seen = new Set<object>();
  const left: unknown[] = [...templates];
  while (left.length > 0) {
    const part = left.pop();
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    for (const [name, member] of Object.entries(part)) if (!ASIDE.has(name)) left.push(member);
    if (isRange(part)) boundRange(part);
    if (!isPlainPart(part)) isPlain = false;
  }
  return isPlain;
}

function isPlainPart(part: object): boolean {
  if (part instanceof Tag) return PLAIN_TAGS.includes(part.name);
  const { kind, name } = part as Token & { readonly name?: string };
  // The last one is what HTML is escaped with.
  if (kind === TokenKind.Filter) return PLAIN_FILTERS.includes(name!) || name!.startsWith('[object ');
  return kind !== TokenKind.Range;
}

/** @throws TemplateProblem when data is missing, or it takes or makes too much. */
export function renderTemplate(
  format: Format,
  source: string,
  data: object,
  charsMax: number,
  meter: Meter,
): string {
  const { templates } = parseTemplate(format, source);
  const engine = engines[format];
  const emitter = boundedEmitter(charsMax);
  try {
    const context = new Context(data, engine.options, { sync: true }, { ...libraryLimits, liquid: engine });
    withMeter(meter, () => void toValueSync(engine.renderer.renderTemplates(templates, context, emitter)));
    return emitter.buffer;
  } catch (error) {
    throw problemOf(error);
  }
}

function boundedEmitter(charsMax: number): Emitter {
  return {
    buffer: '',
    write(part: unknown) {
      const chars = sizeOf(part);
      if (typeof part === 'string' && chars + this.buffer.length > charsMax) refuseLonger(charsMax);
      chargeWork(chars);
      this.buffer += textOf(part);
      if (this.buffer.length > charsMax) refuseLonger(charsMax);
    },
  };
}

function refuseLonger(charsMax: number): never {
  throw new Error(`becomes longer than ${charsMax} characters`);
}

function textOf(part: unknown): string {
  if (part === null || part === undefined) return '';
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(textOf).join('');
  return JSON.stringify(part) ?? '';
}

function problemOf(error: unknown): TemplateProblem {
  if (error instanceof RangeError) return new TemplateProblem('is nested too deeply');
  const { name, message } = error as Error;
  return new TemplateProblem(message.slice(0, 300), name === 'UndefinedVariableError');
}
