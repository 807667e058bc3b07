// Prepares every statement of an app's sources against its migrated database, and compares the
// columns with the row type that the source declares: a renamed column fails here.
import { relative } from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { findConstantTexts } from './constant-texts.ts';
import { describeStatement } from './describe-statement.ts';

export interface CheckedStatements {
  /** Statements that were prepared. */
  readonly checked: number;
  /** Calls whose text is put together at run time: `<file>:<line>`. */
  readonly unread: readonly string[];
  /** `<file>:<line>: <what is wrong>` */
  readonly problems: readonly string[];
}

interface Call {
  readonly place: string;
  readonly texts: readonly string[];
  readonly row: ts.Type | undefined;
  /** Of a list of values that is written out. */
  readonly values: number | undefined;
}

/** `project`: the folder with the tsconfig.json. `folders`: whose sources are checked. */
export async function checkStatements(
  root: string,
  project: string,
  folders: readonly string[],
  databaseUrl: string,
): Promise<CheckedStatements> {
  const program = openProgram(root, project);
  const checker = program.getTypeChecker();
  const sources = program
    .getSourceFiles()
    .filter(({ fileName }) => folders.some((folder) => fileName.startsWith(`${root}/${folder}/`)));
  const [calls, unread] = findCalls(root, sources, checker);
  const problems: string[] = [];
  let checked = 0;
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    for (const call of calls) {
      for (const text of call.texts) {
        checked += 1;
        const found = await findProblems(client, checker, call, text);
        problems.push(...found.map((problem) => `${call.place}: ${problem}`));
      }
    }
  } finally {
    await client.end();
  }
  return { checked, unread, problems: [...new Set(problems)] };
}

function openProgram(root: string, project: string): ts.Program {
  const path = `${root}/${project}/tsconfig.json`;
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as { config: object };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, `${root}/${project}`);
  const isSource = (file: string) => !/\.test\.ts$|\/test\//.test(file);
  return ts.createProgram(fileNames.filter(isSource), options);
}

function findCalls(
  root: string,
  sources: readonly ts.SourceFile[],
  checker: ts.TypeChecker,
): [Call[], string[]] {
  const calls: Call[] = [];
  const unread: string[] = [];
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && isSql(checker, node.expression)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        const place = `${relative(root, source.fileName)}:${line + 1}`;
        const [text, values] = node.arguments;
        const texts = text ? findConstantTexts(checker, text) : null;
        const row = node.typeArguments?.[0];
        if (texts === null) unread.push(place);
        else
          calls.push({
            place,
            texts,
            row: row && checker.getTypeFromTypeNode(row),
            values: countValues(values),
          });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return [calls, unread];
}

/** `Sql` of @parley/server/postgres: the type counts, not the name. */
function isSql(checker: ts.TypeChecker, callee: ts.Expression): boolean {
  return checker.getTypeAtLocation(callee).aliasSymbol?.name === 'Sql';
}

function countValues(values: ts.Expression | undefined): number | undefined {
  if (values === undefined) return 0;
  if (!ts.isArrayLiteralExpression(values) || values.elements.some(ts.isSpreadElement)) return undefined;
  return values.elements.length;
}

async function findProblems(
  client: pg.Client,
  checker: ts.TypeChecker,
  { row, values }: Call,
  text: string,
): Promise<string[]> {
  let described;
  try {
    described = await describeStatement(client, text);
  } catch (error) {
    return [`${(error as Error).message} in ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`];
  }
  const problems: string[] = [];
  if (values !== undefined && values !== described.parameters)
    problems.push(`has ${values} values for ${described.parameters} parameters`);
  if (!row) return problems;
  const columns = new Map(described.columns.map(({ name, typeId }) => [name, typeId]));
  for (const member of checker.getPropertiesOfType(row)) {
    const typeId = columns.get(member.name);
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    if (typeId === undefined) {
      if (!isOptional) problems.push(`returns no column ${member.name}`);
      continue;
    }
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(member));
    const wanted = typeNames.get(typeId);
    if (wanted && !wanted.includes(nameOf(checker, type)))
      problems.push(`returns ${wanted[0]} as ${member.name}, and not ${checker.typeToString(type)}`);
  }
  return problems;
}

const { builtins } = pg.types;
/** What our pool makes of a type, by its object id. Other types are not compared. */
const typeNames = new Map<number, readonly string[]>([
  [builtins.TEXT, ['string']],
  [builtins.VARCHAR, ['string']],
  [builtins.UUID, ['string']],
  [builtins.BOOL, ['boolean']],
  [builtins.INT2, ['number']],
  [builtins.INT4, ['number']],
  [builtins.INT8, ['number']],
  [builtins.FLOAT4, ['number']],
  [builtins.FLOAT8, ['number']],
  [builtins.NUMERIC, ['string']],
  [builtins.TIMESTAMPTZ, ['Date']],
  [builtins.BYTEA, ['Uint8Array', 'Buffer']],
]);

function nameOf(checker: ts.TypeChecker, type: ts.Type): string {
  const flags = (type.isUnion() ? type.types : [type]).reduce((all, one) => all | one.flags, 0);
  if (flags & ts.TypeFlags.StringLike) return 'string';
  if (flags & ts.TypeFlags.NumberLike) return 'number';
  if (flags & ts.TypeFlags.BooleanLike) return 'boolean';
  return type.symbol?.name ?? checker.typeToString(type);
}
