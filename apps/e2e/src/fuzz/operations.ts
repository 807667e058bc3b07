// Reads the operations of a service from its OpenAPI document.
import type { ServiceName } from '@parley/dev/stack';
import type { Components, Schema } from './schema-arbitrary.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly service: ServiceName;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  /** Schemas by status and content type; none for an empty response. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  /** Accepts a Bearer credential; others use another credential or none. */
  readonly bearer: boolean;
  readonly components: Components;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas?: Components };
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface DocumentOperation {
  readonly operationId: string;
  readonly parameters?: readonly (Omit<Parameter, 'required'> & { readonly required?: boolean })[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export function parseOperations(service: ServiceName, document: unknown): Operation[] {
  const { paths, components } = document as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const { operationId, parameters = [], requestBody, responses, security } = operation;
      return {
        service,
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((parameter) => ({ ...parameter, required: parameter.required ?? false })),
        body: requestBody?.content?.['application/json']?.schema ?? null,
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, { content = {} }]) => [
            status,
            Object.fromEntries(Object.entries(content).map(([type, { schema = {} }]) => [type, schema])),
          ]),
        ),
        bearer: security.some((scheme) => 'apiKey' in scheme),
        components: components.schemas ?? {},
      };
    }),
  );
}
