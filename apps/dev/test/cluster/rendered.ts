// k8s/ as the real kubectl renders it. `npm run test:cluster` says where to get one.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parseAllDocuments } from 'yaml';
import { root } from '../shipping/facts.ts';

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [member: string]: unknown;
}

export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: IPodSpec;
}

/** The resources of a folder with a kustomization.yaml. */
export function renderKustomization(folder: string): Resource[] {
  const text = execFileSync('kubectl', ['kustomize', join(root, 'k8s', folder)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS() as Resource);
}

/** The pods that a Deployment, StatefulSet or Job makes. */
export function podTemplateOf(resource: Resource): PodTemplate | undefined {
  if (!['Deployment', 'StatefulSet', 'Job'].includes(resource.kind)) return undefined;
  return (resource['spec'] as { template: PodTemplate }).template;
}

export function nameOf({ kind, metadata }: Resource): string {
  return `${kind} ${metadata.namespace ?? '(cluster)'}/${metadata.name}`;
}
