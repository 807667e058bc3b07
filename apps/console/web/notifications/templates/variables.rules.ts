// Pure: the variables of a template as the template engine finds them, and test data for them.
import { Liquid } from 'liquidjs';

export interface Variable {
  /** Members from the data to the value: `order.id` is two. */
  readonly path: readonly string[];
  /** How it is filled in: one text, one text a line, or only as JSON. */
  readonly kind: 'text' | 'lines' | 'json';
}

type Data = Readonly<Record<string, unknown>>;

/** Filled in by the service: the recipient, and the links of the send. */
const GIVEN = new Set(['recipient', 'unsubscribe_url', 'preferences_url']);

const engine = new Liquid({ templates: {} });

/** Of all texts together. A text that does not parse has none; the service says why. */
export function variablesIn(sources: readonly string[]): Variable[] {
  const paths = new Map<string, readonly string[]>();
  for (const source of sources)
    for (const segments of segmentsIn(source)) {
      const [first] = segments;
      if (typeof first !== 'string' || GIVEN.has(first)) continue;
      const cut = segments.findIndex((segment) => typeof segment !== 'string');
      const path = (cut < 0 ? segments : segments.slice(0, cut)) as string[];
      paths.set(path.join('.'), path);
    }
  const loops = sources.flatMap(loopsIn);
  return [...paths]
    .filter(([name]) => ![...paths.keys()].some((other) => other.startsWith(`${name}.`)))
    .map(([name, path]) => ({ path, kind: kindOf(loops.find((loop) => loop.over === name)) }));
}

function segmentsIn(source: string): readonly (readonly unknown[])[] {
  try {
    return engine.globalVariableSegmentsSync(engine.parse(source), { partials: false });
  } catch {
    return [];
  }
}

interface Loop {
  readonly over: string;
  /** The body reads members of each item. */
  readonly readsMembers: boolean;
}

const LOOP = /\{%-?\s*for\s+([\w-]+)\s+in\s+([\w.-]+)/g;

const loopsIn = (source: string): Loop[] =>
  [...source.matchAll(LOOP)].map(([, item = '', over = '']) => ({
    over,
    readsMembers: new RegExp(String.raw`\{[{%][^}]*\b${item}[.[]`).test(source),
  }));

const kindOf = (loop: Loop | undefined): Variable['kind'] =>
  loop === undefined ? 'text' : loop.readsMembers ? 'json' : 'lines';

export const nameOf = ({ path }: Variable): string => path.join('.');

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valueAt = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    data,
  );

/** What the field of the variable shows. */
export function textAt(data: Data, { path }: Variable): string {
  const value = valueAt(data, path);
  if (value === undefined || value === null) return '';
  if (Array.isArray(value))
    return value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An empty text removes the value. */
export function withTextAt(data: Data, { path, kind }: Variable, text: string): Data {
  return withValue(data, path, text === '' ? undefined : kind === 'lines' ? text.split('\n') : text);
}

function withValue(data: Data, [name, ...rest]: readonly string[], value: unknown): Data {
  if (name === undefined) return data;
  const inner = isObject(data[name]) ? data[name] : {};
  const next = rest.length === 0 ? value : withValue(inner, rest, value);
  const { [name]: _replaced, ...others } = data;
  const isEmpty = next === undefined || (rest.length > 0 && Object.keys(next as Data).length === 0);
  return isEmpty ? others : { ...data, [name]: next };
}

/** A missing value is its name in brackets, so a preview is whole before anything is filled in. */
export function withSamples(data: Data, variables: readonly Variable[]): Data {
  return variables.reduce<Data>((filled, { path, kind }) => {
    if (valueAt(filled, path) !== undefined) return filled;
    const sample = `[${path.at(-1)}]`;
    return withValue(filled, path, kind === 'text' ? sample : kind === 'lines' ? [sample] : []);
  }, data);
}
