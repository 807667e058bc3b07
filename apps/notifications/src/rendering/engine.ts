// Liquid for customers' templates (docs/notifications.md#what-a-template-may-do): no files, few
// tags and filters, and a meter on all work. `render` inserts partials that the caller loaded.
// Templates that are not provably small render on a thread (template-renderer.ts).
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
  computeSize,
  withMeter,
  type LiquidFilter,
  type Meter,
} from './meter.ts';

/** Tags whose work is bounded by the length of the template. */
const PLAIN_TAGS = ['assign', 'comment', '#', 'echo', 'if', 'raw', 'unless'];
/** Excludes `capture`, which doubles its content without being counted. */
const TAGS = new Set([...PLAIN_TAGS, 'break', 'case', 'continue', 'cycle', 'for', 'render']);
/** Filters whose result is at most a small multiple of their input, for all arguments. */
const PLAIN_FILTERS =
  `abs at_least at_most capitalize ceil date default divided_by downcase escape escape_once first floor last lstrip
  minus modulo newline_to_br plus raw round rstrip size strip strip_newlines times truncate truncatewords upcase`.split(
    /\s+/,
  );
/** Excludes patterns (`strip_html`) and `replace_first`. */
const FILTERS = [
  ...PLAIN_FILTERS,
  ...'append compact concat join json map prepend remove replace reverse slice sort split sum uniq url_encode'.split(
    ' ',
  ),
];
/** Operators without a cost. */
const LOGIC = new Set(['and', 'or', 'not']);

/**
 * Blocks inside blocks, and brackets inside brackets. LiquidJS recurses into both, and near the end
 * of the stack V8 ends the whole process when it has to compile a regular expression.
 */
const NESTING_MAX = 100;

/** Of all cached parsed templates, in characters. */
const PARSED_CHARS_MAX = 100_000;
/** Up to these limits parsing runs on the request thread: about 10 us for each output and tag. */
const SMALL_CHARS = 32 * 1024;
const SMALL_PLACES = 40;
const SMALL_CODE_CHARS = 2_000;

export type Format = 'text' | 'html';

interface Parsed {
  readonly templates: Template[];
  /** No loop, range or multiplying filter: the lengths of template and data bound its work. */
  readonly isPlain: boolean;
}

const options: LiquidOptions = {
  strictFilters: true,
  strictVariables: true,
  // `{% if x %}` and `default` may name missing data.
  lenientIf: true,
  ownPropertyOnly: true,
  // There is no file system.
  templates: {},
  operators: Object.fromEntries(
    Object.entries(defaultOperators).map(([name, operator]) => [
      name,
      LOGIC.has(name) ? operator : meterOperator(operator as never),
    ]),
  ) as never,
};

/** The source of a partial by its id; undefined when there is none. */
export type FindPartial = (id: string) => string | undefined;

const NO_PARTIALS: FindPartial = () => undefined;
/** Rendering is synchronous, so the partials of one template are active. */
let findPartial = NO_PARTIALS;

function parsePartial(format: Format, id: string): Template[] {
  const source = findPartial(id);
  if (source === undefined) throw new Error(`there is no published template "${id}" with this text`);
  return parseTemplate(format, source).templates;
}

function createEngine(format: Format, more: LiquidOptions): Liquid {
  const engine = new Liquid({ ...options, ...more });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  for (const filter of Object.keys(engine.filters)) delete engine.filters[filter];
  for (const name of FILTERS)
    engine.registerFilter(name, meterFilter(name, filters[name] as LiquidFilter) as never);
  // `render` reads partials by this method, and nothing else does.
  Object.assign(engine, { _parsePartialFile: (id: string) => parsePartial(format, id) });
  const { renderer } = engine;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, ...rest) => {
    chargeSteps(1 + templates.length);
    return renderTemplates(templates, ...rest);
  };
  return engine;
}

const escape = meterFilter('escape', filters['escape'] as LiquidFilter) as { readonly handler: never };

/** HTML escapes data unless the template says `raw`. */
const engines: Readonly<Record<Format, Liquid>> = {
  text: createEngine('text', {}),
  html: createEngine('html', { outputEscape: escape.handler }),
};

const parsed = new LRUCache<string, Parsed>({
  maxSize: PARSED_CHARS_MAX,
  sizeCalculation: (_parsed, key) => key.length,
});

/** A problem of a template or its data. Safe to show: both are the customer's own. */
export class TemplateProblem extends Error {
  /** The template names data that is missing. */
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
    refuseDeepNesting(source);
    const templates = engines[format].parse(source);
    const one = { templates, isPlain: boundAll(templates) };
    parsed.set(key, one);
    return one;
  } catch (error) {
    throw toTemplateProblem(error);
  }
}

/** Where code begins, with its first word; where it ends; brackets. */
const NESTING_PARTS = /\{[{%]-?\s*[a-z]*|[%}]\}|[[\]()]/g;
const BLOCK = /(end)?(?:if|unless|for|case)$/;

function refuseDeepNesting(source: string): void {
  let blocks = 0;
  let brackets = 0;
  let isCode = false;
  for (const [part] of source.matchAll(NESTING_PARTS)) {
    if (part.startsWith('{')) {
      isCode = true;
      brackets = 0;
      const block = part[1] === '%' ? BLOCK.exec(part) : null;
      if (block) blocks = block[1] ? Math.max(0, blocks - 1) : blocks + 1;
    } else if (part.endsWith('}')) isCode = false;
    else if (isCode) brackets += part === '[' || part === '(' ? 1 : -1;
    if (Math.max(blocks, brackets) > NESTING_MAX)
      throw new Error(`nests more than ${NESTING_MAX} blocks or brackets`);
  }
}

/** Whether the source is short enough to parse on the request thread. */
export function isSmallSource(source: string): boolean {
  if (source.length > SMALL_CHARS || source.split(/\{[{%]/, SMALL_PLACES + 2).length > SMALL_PLACES + 1)
    return false;
  const code = source.match(/\{[{%][^]*?[%}]\}/g) ?? [];
  return code.reduce((sum, { length }) => sum + length, 0) <= SMALL_CODE_CHARS;
}

/** Members of parsed parts that are not parsed parts. */
const SKIPPED_MEMBERS = new Set(['liquid', 'tokenizer', 'input']);

/** Bounds every range, and returns whether all parts are plain. */
function boundAll(templates: readonly Template[]): boolean {
  let isPlain = true;
  const seen = new Set<object>();
  const left: unknown[] = [...templates];
  while (left.length > 0) {
    const part = left.pop();
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    for (const [name, member] of Object.entries(part)) if (!SKIPPED_MEMBERS.has(name)) left.push(member);
    if (isRange(part)) boundRange(part);
    if (part instanceof Tag && part.name === 'render') refuseComputedName(part);
    if (!isPlainPart(part)) isPlain = false;
  }
  return isPlain;
}

/** Partials are loaded before, so their ids must stand in the template. */
function refuseComputedName(tag: Tag): void {
  if (typeof (tag as unknown as { readonly file?: unknown }).file !== 'string')
    throw new Error('render needs the id of a template in quotes');
}

function isPlainPart(part: object): boolean {
  if (part instanceof Tag) return PLAIN_TAGS.includes(part.name);
  const { kind, name } = part as Token & { readonly name?: string };
  // The last one is the HTML escape.
  if (kind === TokenKind.Filter) return PLAIN_FILTERS.includes(name!) || name!.startsWith('[object ');
  return kind !== TokenKind.Range;
}

/** @throws TemplateProblem when data is missing or a limit is exceeded. */
export function renderTemplate(
  format: Format,
  source: string,
  data: object,
  charsMax: number,
  meter: Meter,
  partials = NO_PARTIALS,
): string {
  const { templates } = parseTemplate(format, source);
  const engine = engines[format];
  const emitter = boundedEmitter(charsMax);
  try {
    findPartial = partials;
    // Partials see the data of the send (globals) and their arguments.
    const options = { sync: true, globals: data };
    const context = new Context(data, engine.options, options, { ...libraryLimits, liquid: engine });
    withMeter(meter, () => void toValueSync(engine.renderer.renderTemplates(templates, context, emitter)));
    return emitter.buffer;
  } catch (error) {
    throw toTemplateProblem(error);
  } finally {
    findPartial = NO_PARTIALS;
  }
}

function boundedEmitter(charsMax: number): Emitter {
  return {
    buffer: '',
    write(part: unknown) {
      const chars = computeSize(part);
      if (typeof part === 'string' && chars + this.buffer.length > charsMax) refuseLonger(charsMax);
      chargeWork(chars);
      this.buffer += toText(part);
      if (this.buffer.length > charsMax) refuseLonger(charsMax);
    },
  };
}

function refuseLonger(charsMax: number): never {
  throw new Error(`becomes longer than ${charsMax} characters`);
}

function toText(part: unknown): string {
  if (part === null || part === undefined) return '';
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(toText).join('');
  return JSON.stringify(part) ?? '';
}

function toTemplateProblem(error: unknown): TemplateProblem {
  if (error instanceof RangeError) return new TemplateProblem('is nested too deeply');
  const { name, message } = error as Error;
  return new TemplateProblem(message.slice(0, 300), name === 'UndefinedVariableError');
}
