// Rules that hold for every answer.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Operation } from './operations.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly requestId: string | null;
  readonly text: string;
}

export type Judge = (operation: Operation, answer: FuzzAnswer) => string[];

/** `secrets` are texts of another organisation, which must never appear. */
export function createJudge(secrets: readonly string[]): Judge {
  const checks = new Map<string, ValidateFunction>();
  const documents = new Map<string, Ajv2020>();

  /** The components of a service, compiled once. */
  function documentOf({ service, components }: Operation): Ajv2020 {
    const known = documents.get(service);
    if (known) return known;
    const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: service, components: { schemas: components } });
    documents.set(service, ajv);
    return ajv;
  }

  function checkOf(operation: Operation, status: string, type: string): ValidateFunction {
    const key = `${operation.service} ${operation.id} ${status} ${type}`;
    const known = checks.get(key);
    if (known) return known;
    const schema = JSON.stringify(operation.responses[status]![type]!);
    const inDocument = schema.replaceAll('"#/components/', `"${operation.service}#/components/`);
    const check = documentOf(operation).compile(JSON.parse(inDocument) as object);
    checks.set(key, check);
    return check;
  }

  return (operation, { status, contentType, requestId, text }) => {
    const problems: string[] = [];
    const [type = ''] = contentType.split(';');
    if (status >= 500) problems.push(`answered ${status}: ${text.slice(0, 300)}`);
    if (requestId === null) problems.push('has no X-Request-Id');
    const declared = operation.responses[status];
    if (!declared) problems.push(`answered ${status}, which is not declared: ${text.slice(0, 300)}`);
    else if (Object.keys(declared).length === 0) {
      if (text !== '') problems.push(`answered ${status} with content, which is not declared`);
    } else if (!declared[type]) problems.push(`answered ${status} as "${type}", which is not declared`);
    else if (type.endsWith('json')) {
      const check = checkOf(operation, String(status), type);
      if (!check(JSON.parse(text)))
        problems.push(
          `answered ${status} in another shape than declared: ${JSON.stringify(check.errors?.slice(0, 2))}`,
        );
    }
    for (const secret of secrets) {
      if (text.includes(secret)) problems.push(`shows something of another organisation: ${secret}`);
    }
    return problems;
  };
}
