// Reads the operations of an OpenAPI 3 document as tools of an agent.
// Source: spec.openapis.org/oas/v3.0.3 (Paths, Operation, Parameter and Reference Objects).
import type { AgentTool } from '../agents.ts';
import {
  getMember,
  findText,
  isMembers,
  toList,
  toMembers,
  toMembersList,
  toText,
  type Members,
} from '../source.ts';

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head'] as const;
const OPERATIONS_MAX = 50;
/** Values of one operation that are copied: references may multiply each other. */
const VALUES_MAX = 2_000;
const DEPTH_MAX = 20;

/** @param about what stands before the description of each operation */
export function listOperations(document: Members, about: string): AgentTool[] {
  const base = toText(getMember(document, 'servers', 0, 'url')).replace(/\/+$/u, '');
  const operations = Object.entries(toMembers(document['paths'])).flatMap(([path, item]) =>
    methods.flatMap((method): AgentTool[] => {
      const operation = getMember(item, method);
      if (!isMembers(operation)) return [];
      const shared = toMembersList(getMember(item, 'parameters'));
      // A dispatched GET has its arguments in the query, as the API expects. A body would be ours.
      const isCalled = method === 'get' && !path.includes('{') && base.startsWith('https://');
      const address = isCalled ? '' : `${method.toUpperCase()} ${base}${path}`;
      const told = [about, operation['summary'], operation['description'], address].map(toText);
      return [
        {
          does: 'call',
          name: findText(operation['operationId'], `${method.toUpperCase()} ${path}`),
          description: told.filter((text) => text !== '').join('\n'),
          parameters: toSchema(document, operation, shared),
          target: '',
          url: isCalled ? `${base}${path}` : '',
          method: method.toUpperCase(),
        },
      ];
    }),
  );
  return operations.slice(0, OPERATIONS_MAX);
}

/** The parameters and the JSON body of an operation as one JSON Schema. */
function toSchema(document: Members, operation: Members, shared: readonly Members[]): Members {
  const resolver = new Resolver(document);
  const listed = [...shared, ...toMembersList(operation['parameters'])].map((parameter) =>
    toMembers(resolver.resolve(parameter)),
  );
  const content = toMembers(getMember(resolver.resolve(operation['requestBody']), 'content'));
  const body = toMembers(getMember(content['application/json'] ?? Object.values(content)[0], 'schema'));
  const named = listed.flatMap(({ name, description, schema }) => {
    const about = toText(description) === '' ? {} : { description };
    return toText(name) === '' ? [] : [[toText(name), { ...toMembers(schema), ...about }] as const];
  });
  const needed = listed.flatMap(({ name, required }) => (required === true ? [name] : []));
  const required = [...needed, ...toList(body['required'])];
  return {
    type: 'object',
    ...(isMembers(body['properties']) ? body : {}),
    properties: { ...Object.fromEntries(named), ...toMembers(body['properties']) },
    ...(required.length === 0 ? {} : { required }),
  };
}

class Resolver {
  private readonly document: Members;
  private values = 0;

  constructor(document: Members) {
    this.document = document;
  }

  /** A copy in which what is referenced inside the document replaces its references. */
  resolve(value: unknown, depth = 0): unknown {
    this.values += 1;
    if (depth > DEPTH_MAX || this.values > VALUES_MAX) return {};
    if (Array.isArray(value)) return value.map((element) => this.resolve(element, depth + 1));
    if (!isMembers(value)) return value;
    const reference = toText(value['$ref']);
    if (reference.startsWith('#/')) return this.resolve(this.find(reference), depth + 1);
    const members = Object.entries(value).map(([name, member]) => [name, this.resolve(member, depth + 1)]);
    return Object.fromEntries(members) as Members;
  }

  private find(reference: string): unknown {
    const way = reference.slice(2).split('/');
    return getMember(this.document, ...way.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')));
  }
}
