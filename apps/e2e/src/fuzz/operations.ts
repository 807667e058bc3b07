// Reads the operations of a service from its OpenAPI document.
import type { ServiceName } from '@parley/dev/stack';
import { resolveReference } from '@parley/testing';
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

interface Reference {
  readonly $ref: string;
}

type DocumentParameter = Omit<Parameter, 'required'> & { readonly required?: boolean };

interface DocumentOperation {
  readonly operationId: string;
  readonly parameters?: readonly (DocumentParameter | Reference)[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content | Reference>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export function parseOperations(service: ServiceName, document: unknown): Operation[] {
  const { paths, components } = document as Document;
  const resolve = <Part extends object>(part: Part | Reference) =>
    resolveReference(document as Document, part);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const { operationId, parameters = [], requestBody, responses, security } = operation;
      return {
        service,
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters: parameters
          .map((parameter) => resolve<DocumentParameter>(parameter))
          .map((parameter) => ({ ...parameter, required: parameter.required ?? false })),
        body: requestBody?.content?.['application/json']?.schema ?? null,
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [
            status,
            schemasOf(resolve<Content>(response)),
          ]),
        ),
        bearer: security.some((scheme) => 'apiKey' in scheme),
        components: components.schemas ?? {},
      };
    }),
  );
}

function schemasOf({ content = {} }: Content): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(content).map(([type, { schema = {} }]) => [type, schema]));
}
