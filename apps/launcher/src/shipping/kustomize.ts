// Renders a kustomization as `kubectl kustomize` does, for the few features that k8s/ uses and no other: anything else in a
// kustomization is refused. `npm test` has no kubectl; `npm run test:cluster` compares the two where there is one.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch, type Operation } from 'rfc6902';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  [member: string]: unknown;
}

const kustomization = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string().optional(),
  resources: z.array(z.string()),
  labels: z
    .array(z.strictObject({ pairs: z.record(z.string(), z.string()), includeTemplates: z.literal(true) }))
    .default([]),
  images: z
    .array(
      z.strictObject({ name: z.string(), newName: z.string().optional(), newTag: z.string().optional() }),
    )
    .default([]),
  patches: z
    .array(
      z.strictObject({
        target: z.strictObject({
          kind: z.string(),
          name: z.string().optional(),
          namespace: z.string().optional(),
        }),
        patch: z.string(),
      }),
    )
    .default([]),
});

/** The resources of a folder with a kustomization.yaml, in no particular order. */
export function renderKustomization(folder: string): Resource[] {
  const own = kustomization.parse(parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')));
  let resources = own.resources.flatMap((path) => read(join(folder, path)));
  for (const { target, patch } of own.patches) {
    const chosen = resources.filter((resource) => isTarget(target, resource));
    if (chosen.length === 0) throw new Error(`${folder}: a patch hits nothing: ${JSON.stringify(target)}`);
    const operations = parse(patch) as Operation[] | { $patch: string };
    if (!Array.isArray(operations)) {
      if (operations.$patch !== 'delete') throw new Error(`${folder}: only $patch: delete is known`);
      resources = resources.filter((resource) => !chosen.includes(resource));
      continue;
    }
    for (const resource of chosen) {
      const failed = applyPatch(resource, copyOf(operations)).find((error) => error !== null);
      if (failed) throw new Error(`${folder}: ${JSON.stringify(target)}: ${failed.message}`);
    }
  }
  for (const resource of resources) {
    if (own.namespace !== undefined) setNamespace(resource, own.namespace);
    for (const { pairs } of own.labels) addLabels(resource, pairs);
    for (const image of own.images) setImage(resource, image);
  }
  return resources;
}

/** Every document of a YAML file, as plain data (aliases are copied: a patch must not change two places). */
export function documentsOf(text: string): Resource[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return copyOf(document.toJS() as Resource);
  });
}

/** Not structuredClone: under jest that makes arrays of another realm, which the patch library does not know as such. */
function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function read(path: string): Resource[] {
  return statSync(path).isDirectory() ? renderKustomization(path) : documentsOf(readFileSync(path, 'utf8'));
}

/** Names and namespaces are anchored regular expressions. */
function isTarget(
  target: { kind: string; name?: string | undefined; namespace?: string | undefined },
  { kind, metadata }: Resource,
): boolean {
  const matches = (pattern: string | undefined, text = '') =>
    pattern === undefined || new RegExp(`^(?:${pattern})$`).test(text);
  return (
    kind === target.kind &&
    matches(target.name, metadata.name) &&
    matches(target.namespace, metadata.namespace)
  );
}

function setNamespace(resource: Resource, namespace: string): void {
  if (resource.kind === 'Namespace') resource.metadata.name = namespace;
  else resource.metadata.namespace = namespace;
}

function addLabels(resource: Resource, pairs: Record<string, string>): void {
  Object.assign((resource.metadata.labels ??= {}), pairs);
  const template = podTemplateOf(resource);
  if (template) Object.assign((template.metadata.labels ??= {}), pairs);
}

function setImage(
  resource: Resource,
  image: { name: string; newName?: string | undefined; newTag?: string | undefined },
): void {
  const spec = podTemplateOf(resource)?.spec;
  for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    const [, name, tag] = /^(.*?)(?::([^:/]+))?$/.exec(container.image)!;
    if (name !== image.name) continue;
    const newTag = image.newTag ?? tag;
    container.image = `${image.newName ?? name}${newTag === undefined ? '' : `:${newTag}`}`;
  }
}

export interface Probe {
  httpGet: { path: string; port: string | number };
  timeoutSeconds?: number;
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  envFrom?: { configMapRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: Record<string, unknown>;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}

export interface PodTemplate {
  metadata: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    initContainers?: Container[];
    containers: Container[];
    serviceAccountName: string;
    automountServiceAccountToken: boolean;
    terminationGracePeriodSeconds: number;
    securityContext: Record<string, unknown>;
    topologySpreadConstraints?: { topologyKey: string; labelSelector: { matchLabels: object } }[];
    volumes?: { name: string; secret: { secretName: string; items?: { key: string; path: string }[] } }[];
  };
}

/** The pods that a Deployment, StatefulSet or Job makes. */
export function podTemplateOf(resource: Resource): PodTemplate | undefined {
  if (!['Deployment', 'StatefulSet', 'Job'].includes(resource.kind)) return undefined;
  return (resource['spec'] as { template: PodTemplate }).template;
}
