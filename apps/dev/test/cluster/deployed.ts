// What the overlays of k8s/ and the dashboards deploy, and where to find a resource in it.
import { expect } from '@jest/globals';
import { SERVICES, type ServiceName } from '@parley/server/runtime';
import { podTemplateOf, renderKustomization, type Resource } from './rendered.ts';

const OVERLAYS = ['overlays/dev', 'overlays/production'] as const;
const DASHBOARDS = SERVICES.map((service) => `dashboard/${service}` as const);
export const rendered = Object.fromEntries(
  [...OVERLAYS, ...DASHBOARDS].map((folder) => [folder, renderKustomization(folder)]),
) as Record<(typeof OVERLAYS)[number] | `dashboard/${ServiceName}`, Resource[]>;
export const production = rendered['overlays/production'];
export const everything = Object.values(rendered).flat();

/** What of our own services runs somewhere: the servers of the dev overlay are not ours. */
const ours = everything.filter(({ metadata }) => metadata.namespace !== 'parley-data');
export const workloads = ours.filter((resource) => podTemplateOf(resource) !== undefined);
export const named = (
  kind: string,
  name: string,
  service: ServiceName | 'console',
  among = production,
): Resource => {
  const found = among.filter(
    (one) =>
      one.kind === kind && one.metadata.name === name && one.metadata.namespace === `parley-${service}`,
  );
  expect(found).toHaveLength(1);
  return found[0]!;
};
export const specOf = <Spec>(resource: Resource) => resource['spec'] as Spec;
export const settingsOf = (service: ServiceName | 'console') =>
  named('ConfigMap', 'settings', service)['data'] as Record<string, string>;
