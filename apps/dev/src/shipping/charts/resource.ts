// A Kubernetes resource as plain data, how to reach into it, and how to write it.
import { stringify } from 'yaml';

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

export type Path = readonly (string | number)[];

/** The member at a path; undefined where there is none. */
export function memberAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

/** Sets the member at a path, and makes the objects that lead there. */
export function setMember(value: object, path: Path, member: unknown): void {
  const parent = path.slice(0, -1).reduce<Record<string, unknown>>(
    (inner, key) => {
      inner[key] ??= {};
      return inner[key] as Record<string, unknown>;
    },
    value as Record<string, unknown>,
  );
  parent[path.at(-1)!] = member;
}

export function findResource(
  resources: readonly Resource[],
  kind: string,
  name: string,
): Resource | undefined {
  return resources.find((one) => one.kind === kind && one.metadata.name === name);
}

/** Helm and Kubernetes read YAML 1.1, in which `off` is no text. */
export const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0, version: '1.1' });
