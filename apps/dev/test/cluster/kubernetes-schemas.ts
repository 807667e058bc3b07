// Holds manifests against the schemas of Kubernetes and its custom resources, in two ways: by their
// validators (types, required members, enumerations) and, for members that do not exist, by their
// TypeScript types: Kubernetes' own schema lets those pass, and the API server then drops them with
// a warning that nobody reads.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { nameOf, type Resource } from './rendered.ts';

/** Custom resources whose models are in the packages of apps/dev/cluster-tools. */
const FETCHED: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

const fetchedPackage = ({ apiVersion }: Resource): string | undefined => FETCHED[apiVersion.split('/')[0]!];

/** Where the model of a kind is: module and class. A kind that is not here is refused. */
function modelOf(resource: Resource): string {
  const { apiVersion, kind } = resource;
  if (apiVersion.startsWith('keda.sh/')) return `@kubernetes-models/keda/${apiVersion}/${kind}`;
  return `${fetchedPackage(resource) ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}

/** What is wrong with the values that are there, one sentence a resource. */
export function schemaProblems(root: string, resources: readonly Resource[]): string[] {
  const require = createRequire(join(root, 'package.json'));
  const fetched = resources.filter((resource) => fetchedPackage(resource) !== undefined);
  const problems = resources.flatMap((resource) => {
    if (fetched.includes(resource)) return [];
    try {
      const models = require(modelOf(resource)) as Record<string, new (data: object) => { validate(): void }>;
      new models[resource.kind]!(resource).validate();
      return [];
    } catch (error) {
      return [`${nameOf(resource)}: ${(error as Error).message}`];
    }
  });
  return fetched.length === 0 ? problems : [...problems, ...fetchedProblems(fetched)];
}

/** Their modules are ESM, so a process of its own reads them. */
function fetchedProblems(resources: readonly Resource[]): string[] {
  const input = JSON.stringify(resources.map((resource) => ({ model: modelOf(resource), resource })));
  const program = join(process.env['CLUSTER_TOOLS']!, 'validate.mjs');
  const problems = JSON.parse(execFileSync(process.execPath, [program], { input, encoding: 'utf8' })) as {
    resource: Resource;
    message: string;
  }[];
  return problems.map(({ resource, message }) => `${nameOf(resource)}: ${message}`);
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
    paths: Object.fromEntries(
      Object.values(FETCHED).map((name) => [
        `${name}/*`,
        [join(process.env['CLUSTER_TOOLS']!, 'node_modules', name, '*')],
      ]),
    ),
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
