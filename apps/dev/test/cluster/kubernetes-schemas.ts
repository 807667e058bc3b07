// Holds manifests against the schemas of Kubernetes and KEDA, in two ways: by their validators
// (types, required members, enumerations) and, for members that do not exist, by their TypeScript
// types: Kubernetes' own schema lets those pass, and the API server then drops them with a warning
// that nobody reads.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { nameOf, type Resource } from './rendered.ts';

/** Where the model of a kind is: module and class. A kind that is not here is refused. */
function modelOf({ apiVersion, kind }: Resource): string {
  if (apiVersion.startsWith('keda.sh/')) return `@kubernetes-models/keda/${apiVersion}/${kind}`;
  return `kubernetes-models/${apiVersion}/${kind}`;
}

/** What is wrong with the values that are there, one sentence a resource. */
export function schemaProblems(root: string, resources: readonly Resource[]): string[] {
  const require = createRequire(join(root, 'package.json'));
  return resources.flatMap((resource) => {
    try {
      const models = require(modelOf(resource)) as Record<string, new (data: object) => { validate(): void }>;
      new models[resource.kind]!(resource).validate();
      return [];
    } catch (error) {
      return [`${nameOf(resource)}: ${(error as Error).message}`];
    }
  });
}

const FILE = 'manifests.ts';

/** Members that do not exist, and types once more. One program over all resources: 2 s. */
export function memberProblems(root: string, resources: readonly Resource[]): string[] {
  const text = resources
    .map(
      (resource, index) =>
        `export const resource${index}: import('${modelOf(resource)}').I${resource.kind} = ${JSON.stringify(resource)};`,
    )
    .join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const file = join(root, FILE); // modules are looked for from there
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.readFile = (path) => (path === file ? text : readFile(path));
  host.getSourceFile = (path, language) =>
    path === file ? ts.createSourceFile(path, text, language) : getSourceFile(path, language);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ');
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    return `${resources[line] ? nameOf(resources[line]) : '?'}: ${message}`;
  });
}
