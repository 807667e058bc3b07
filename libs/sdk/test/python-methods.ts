// Generates the methods of the Python SDK from the table of operations.
// libs/sdk-python/src/parley_sdk/_methods.py defines what they call.
import { documentOf, rowsOf, type Described, type Schema } from './operations-table.ts';

/** Reserved words of Python that are names of parameters. */
const RESERVED = [
  'from',
  'class',
  'global',
  'in',
  'is',
  'lambda',
  'pass',
  'with',
  'import',
  'async',
  'await',
];
const TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
};

/** Generates the module of one service. */
export function pythonMethods(service: string): string {
  const name = service.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  const methods = rowsOf(documentOf(service)).map(({ operation, row }) => methodOf(operation, row));
  return `"""Made from apps/${service}/openapi.json by \`npm run docs\`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from .._methods import Methods, Pages
from .._options import CallOptions, Operation
from .._stream import EventStream


class ${name}(Methods):
${methods.join('\n')}`;
}

type Row = ReturnType<typeof rowsOf>[number]['row'];

function methodOf({ operationId, summary, parameters = [], requestBody }: Described, row: Row): string {
  const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const inQuery = parameters.filter((one) => one.in === 'query');
  const required = inQuery.filter((one) => one.required);
  const optional = inQuery.filter((one) => !one.required);
  const body = !requestBody ? [] : [`body: Mapping[str, Any]${requestBody.required ? '' : ' | None = None'}`];
  const keywords = [
    ...(requestBody?.required ? body : []),
    ...required.map((one) => `${argument(one.name)}: ${typeOf(one.schema)}`),
    ...(requestBody?.required ? [] : body),
    ...optional.map((one) => `${argument(one.name)}: ${typeOf(one.schema)} | None = None`),
  ];
  const list = [
    'self',
    ...inPath.map((name) => `${argument(name)}: str`),
    ...(keywords.length > 0 ? ['*', ...keywords] : []),
    '**options: Unpack[CallOptions]',
  ];
  const names = [...inPath, ...inQuery.map((one) => one.name)];
  const values = `{${names.map((name) => `"${name}": ${argument(name)}`).join(', ')}}`;
  const operation = [`"${row.method}"`, `"${row.path}"`, ...membersOf(row)].join(', ');
  const [call, type] = row.stream
    ? [`self._stream(operation, ${values}, options)`, 'EventStream']
    : row.pages
      ? [`self._list(operation, ${values}, options)`, 'Pages']
      : [`self._call(operation, ${values}, ${requestBody ? 'body' : 'None'}, options)`, 'Any'];
  return `    def ${snake(operationId)}(
${list.map((one) => `        ${one},\n`).join('')}    ) -> ${type}:
        """${summary.replaceAll('\\', '\\\\').replaceAll('"', "'")}."""
        operation = Operation(${operation})
        return ${call}
`;
}

const membersOf = ({ creates, pages, stream }: Row) => [
  ...(creates ? ['creates=True'] : []),
  ...(pages ? [`pages="${pages}"`] : []),
  ...(stream ? ['stream=True'] : []),
];

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const argument = (name: string) => (RESERVED.includes(name) ? `${name}_` : name);
const typeOf = (schema: Schema) =>
  schema.enum?.join() === 'true,false' ? 'bool' : (TYPES[schema.type ?? ''] ?? 'Any');
