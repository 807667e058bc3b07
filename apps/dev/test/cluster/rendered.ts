// k8s/ as the real kubectl renders it. `npm run test:cluster` says where to get one.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parseAllDocuments, stringify } from 'yaml';
import type { Resource } from '../../src/shipping/charts/resource.ts';
import { root } from '../shipping/facts.ts';

export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: IPodSpec;
}

export type { Resource };

/** The resources of a folder with a kustomization.yaml. */
export function renderKustomization(folder: string): Resource[] {
  const text = execFileSync('kubectl', ['kustomize', join(root, 'k8s', folder)], { encoding: 'utf8' });
  return parseResources(text);
}

export function parseResources(text: string): Resource[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Resource | null)
    .filter((resource) => resource !== null);
}

/** The resources of a folder of k8s/ with components, in the namespace of an app. */
export function renderWithComponents(app: string, components: readonly string[]): Resource[] {
  const parent = join(root, '.parley');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'kustomize-'));
  const fromHere = (path: string) => relative(folder, join(root, 'k8s', path));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: `parley-${app}`,
    resources: [fromHere(`base/${app}`)],
    components: components.map((name) => fromHere(`components/${name}`)),
  };
  try {
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return renderKustomization(relative(join(root, 'k8s'), folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The pods that a Deployment, StatefulSet or Job makes. */
export function podTemplateOf(resource: Resource): PodTemplate | undefined {
  if (!['Deployment', 'StatefulSet', 'Job'].includes(resource.kind)) return undefined;
  return (resource['spec'] as { template: PodTemplate }).template;
}

export function nameOf({ kind, metadata }: Resource): string {
  return `${kind} ${metadata.namespace ?? '(cluster)'}/${metadata.name}`;
}
