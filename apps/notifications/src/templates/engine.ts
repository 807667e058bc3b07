// Liquid as templates of an organisation may use it (docs/notifications.md#what-a-template-may-do): no files, a few tags and filters, and
// bounds on steps, memory, output and time. It is rendered in the process, so what is not bounded is not there.
import {
  Context,
  defaultOperators,
  Liquid,
  toValueSync,
  type Emitter,
  type LiquidOptions,
  type Template,
} from 'liquidjs';

/** `capture` is not among them: it doubles what it holds without being counted. */
const TAGS = new Set([
  'assign',
  'break',
  'case',
  'comment',
  '#',
  'continue',
  'cycle',
  'echo',
  'for',
  'if',
  'raw',
  'unless',
]);
/** Those whose work is counted and linear; patterns (`strip_html`) and `replace_first` are not among them. */
const FILTERS = new Set(
  `abs append at_least at_most capitalize ceil compact concat date default divided_by downcase escape escape_once first floor join
  json last lstrip map minus modulo newline_to_br plus prepend raw remove replace reverse round rstrip size slice sort split strip
  strip_newlines sum times truncate truncatewords uniq upcase url_encode`.split(/\s+/),
);

/** Characters that filters and ranges make, of all parts of a send together. */
const MEMORY_MAX = 2_000_000;
/** Outputs, tags and turns of loops, likewise. */
const STEPS_MAX = 20_000;
/** Likewise; a page takes a few milliseconds. What is counted ends first, unless the machine is busy. */
const TIME_MAX_MS = 1_000;
/** What the sends of one request may take together, of what a single one may. */
const BULK_FACTOR = 10;
/** Parsed parts that a request keeps for its next send. */
const PARSED_MAX = 100;

export type Format = 'text' | 'html';

/** What all parts of a send, or of the sends of one request, may use together. */
export interface RenderBudget {
  readonly limits: ConstructorParameters<typeof Context>[3];
  readonly parsed: Map<string, Template[]>;
}

export function renderBudget(of: 'one' | 'many'): RenderBudget {
  const factor = of === 'one' ? 1 : BULK_FACTOR;
  let memory = 0;
  let steps = 0;
  const endsAtMs = performance.now() + TIME_MAX_MS * factor;
  const memoryLimit = {
    use: (count: number) => {
      memory += Math.max(0, Number(count) || 0);
      if (memory > MEMORY_MAX * factor) throw new Error('makes too much text');
    },
    check: () => undefined,
  };
  const renderLimit = {
    use: () => undefined,
    // Asked before each step, with the time.
    check: (nowMs: number) => {
      steps += 1;
      if (steps > STEPS_MAX * factor) throw new Error(`takes more than ${STEPS_MAX * factor} steps`);
      if (nowMs > endsAtMs) throw new Error('takes too long');
    },
  };
  const limits = { memoryLimit, renderLimit } as unknown as RenderBudget['limits'];
  return { limits, parsed: new Map() };
}

const options: LiquidOptions = {
  strictFilters: true,
  strictVariables: true,
  // `{% if x %}` and `default` may ask for what is not there.
  lenientIf: true,
  ownPropertyOnly: true,
  // There is no file system, whatever asks for one.
  templates: {},
  operators: {
    ...defaultOperators,
    contains: function* (left: unknown, right: unknown, context) {
      const { length = 0 } = (left ?? {}) as { length?: number };
      context.memoryLimit.use(length);
      return (yield defaultOperators['contains']!(left, right, context)) as boolean;
    },
  },
};

function engineOf(more: LiquidOptions): Liquid {
  const engine = new Liquid({ ...options, ...more });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  for (const filter of Object.keys(engine.filters)) if (!FILTERS.has(filter)) delete engine.filters[filter];
  return engine;
}

/** In HTML what data brings is escaped, unless the template says `raw`. */
const engines: Readonly<Record<Format, Liquid>> = {
  text: engineOf({}),
  html: engineOf({ outputEscape: 'escape' }),
};

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
export function parseTemplate(format: Format, source: string): Template[] {
  try {
    return engines[format].parse(source);
  } catch (error) {
    throw problemOf(error);
  }
}

/** @throws TemplateProblem when data is missing, or it takes or makes too much. */
export function renderTemplate(
  format: Format,
  source: string,
  data: object,
  charsMax: number,
  { limits, parsed }: RenderBudget,
): string {
  const key = `${format} ${source}`;
  const template = parsed.get(key) ?? parseTemplate(format, source);
  if (parsed.size < PARSED_MAX) parsed.set(key, template);
  const engine = engines[format];
  const emitter = boundedEmitter(charsMax);
  try {
    const context = new Context(data, engine.options, { sync: true }, { ...limits, liquid: engine });
    toValueSync(engine.renderer.renderTemplates(template, context, emitter));
    return emitter.buffer;
  } catch (error) {
    throw problemOf(error);
  }
}

function boundedEmitter(charsMax: number): Emitter {
  return {
    buffer: '',
    write(part: unknown) {
      this.buffer += textOf(part);
      if (this.buffer.length > charsMax) throw new Error(`becomes longer than ${charsMax} characters`);
    },
  };
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
