// The options of a Typebot block: arguments of its request, bounds, buttons.
// Source: baptisteArno/typebot.io, packages/blocks and packages/forge.
import { findText, getMember, toMembers, toMembersList, toText, type Members } from '../source.ts';
import { toTemplates } from '../words.ts';

/** Members that say where a result goes, or that mean something to the editor only. */
const internal: ReadonlySet<string> = new Set(
  `action task webhook responseVariableMapping variableMapping responseMapping variablesForTest
   credentialsId proxyCredentialsId isAdvancedConfig isCustomBody isExecutedOnClient id`.split(/\s+/u),
);
const ARGUMENTS_MAX = 50;

/**
 * All options of the block, and its request: `url`, `method`, `headers`, `query` and `body`.
 * @param variable the name of a variable by its id
 */
export function toToolArguments(
  options: Members,
  request: Members,
  variable: (id: unknown) => string | null,
): Members {
  const own = Object.entries(options)
    .filter(([name, value]) => !internal.has(name) && isSet(value))
    .slice(0, ARGUMENTS_MAX);
  const plain = toMembers(toTemplates(withoutIds(Object.fromEntries(own), variable)));
  const sent = Object.entries(request).flatMap(([name, value]): [string, unknown][] => {
    if (toText(value) !== '') return name === 'id' ? [] : [[name, toTemplates(value)]];
    const pairs = toPairs(value);
    if (Object.keys(pairs).length === 0) return [];
    return [[name === 'queryParams' ? 'query' : name, pairs]];
  });
  return { ...plain, ...Object.fromEntries(sent) };
}

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== null && value !== '' && value !== undefined;

const toPairs = (list: unknown): Members =>
  Object.fromEntries(
    toMembersList(list).flatMap(({ key, value }) =>
      toText(key) === '' || toText(key) === '__proto__' ? [] : [[toText(key), toTemplates(toText(value))]],
    ),
  );

/** The ids of list elements are the editor's; those of variables become placeholders. */
function withoutIds(value: unknown, variable: (id: unknown) => string | null, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 20) return value;
  if (Array.isArray(value)) return value.map((element) => withoutIds(element, variable, depth + 1));
  const members = Object.entries(toMembers(value)).flatMap(([name, member]): [string, unknown][] => {
    if (name === 'id') return [];
    if (!/variableId$/iu.test(name)) return [[name, withoutIds(member, variable, depth + 1)]];
    const known = variable(member);
    return known === null ? [] : [[name.replace(/Id$/u, ''), `{{ ${known} }}`]];
  });
  return Object.fromEntries(members);
}

/** The variables that a block sets, with the path in its result; '' is the whole of it. */
export function listMappings(
  options: Members,
): readonly { readonly variableId: unknown; readonly path: string }[] {
  const listed = options['responseVariableMapping'] ?? options['variableMapping'];
  const paths = toMembersList(listed).map(({ variableId, bodyPath, item }) => ({
    variableId,
    path: findText(bodyPath, item)
      .replace(/^data\./u, '')
      .replace(/\[(\d+)\]/gu, '.$1'),
  }));
  const answers = toMembersList(options['responseMapping']).map(({ variableId, item, valueToExtract }) => {
    const value = findText(item, valueToExtract, 'Message content');
    return { variableId, path: value === 'Message content' ? '' : value };
  });
  return [...paths.filter(({ path }) => path !== ''), ...answers];
}

export function toBounds(options: unknown): object {
  const bounds = (['min', 'max'] as const).flatMap((name) => {
    const bound = getMember(options, name);
    return typeof bound === 'number' ? [[name, bound] as const] : [];
  });
  return Object.fromEntries(bounds);
}

/** Why a question with buttons is approximated. */
export const UNSHOWN = 'its buttons are choices, which Parley does not show';

export const toChoice = ({ label, value }: { readonly label: string; readonly value: string }) =>
  label === value ? label : { value, synonyms: [label] };
