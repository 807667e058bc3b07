// Parameters that several operations have are described once, under `components.parameters`.

interface Parameter {
  readonly name: string;
}

interface Operation {
  readonly tags?: readonly string[];
  parameters?: object[];
}

/** Replaces them by references, and returns the components by name. */
export function shareParameters(paths: Readonly<Record<string, object>>): Record<string, object> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]);
  const users = new Map<string, Operation[]>();
  for (const operation of operations)
    for (const parameter of operation.parameters ?? []) {
      const text = JSON.stringify(parameter);
      users.set(text, [...(users.get(text) ?? []), operation]);
    }
  const shared: Record<string, object> = {};
  const references = new Map<string, object>();
  const mostUsedFirst = [...users].sort(([, one], [, other]) => other.length - one.length);
  for (const [text, [first, ...others]] of mostUsedFirst) {
    const parameter = JSON.parse(text) as Parameter;
    const name = nameParameter(parameter, first!, shared);
    if (others.length === 0 || name === undefined) continue;
    shared[name] = parameter;
    references.set(text, { $ref: `#/components/parameters/${name}` });
  }
  for (const operation of operations)
    operation.parameters = operation.parameters?.map((one) => references.get(JSON.stringify(one)) ?? one);
  return shared;
}

/**
 * `FlowId`; of others with the same name, those of one tag: `AlertsLimit`. Undefined: both are
 * taken.
 */
function nameParameter({ name }: Parameter, { tags = [] }: Operation, taken: object): string | undefined {
  return [name, `${tags[0]}-${name}`].map(toPascalCase).find((one) => !(one in taken));
}

function toPascalCase(text: string): string {
  return text.replaceAll(/(?:^|[-_ ])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
