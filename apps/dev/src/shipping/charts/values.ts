// The values of the charts: what each is for, its schema, and the members of manifests that it
// stands for. Defaults are read from k8s/base, so that a chart cannot differ from it.
import { findResource, memberAt, type Path, type Resource } from './resource.ts';

/**
 * How a member is written into a template: as text in quotes, as a number, or as a block of YAML.
 */
type Form = 'text' | 'number' | 'block';

export interface Slot {
  /** Path of the value, for example `http.resources`. */
  readonly value: string;
  readonly kind: string;
  readonly name: string;
  readonly at: Path;
  readonly form: Form;
}

export interface ValueRow {
  readonly path: string;
  readonly description: string;
  readonly schema: object;
  /** Of a value that no manifest holds. */
  readonly standard?: unknown;
}

const TEXT = { type: 'string', minLength: 1 };
const FLAG = { type: 'boolean' };
const COUNT = { type: 'integer', minimum: 0 };
const QUANTITIES = {
  type: 'object',
  additionalProperties: { type: ['string', 'number'] },
};
const RESOURCES = {
  type: 'object',
  properties: { requests: QUANTITIES, limits: QUANTITIES },
  additionalProperties: false,
};
const MAP_OF_TEXT = { type: 'object', additionalProperties: { type: 'string' } };
const PEERS = { type: 'array', minItems: 1, items: { type: 'object' } };
const container: Path = ['spec', 'template', 'spec', 'containers', 0];
const namespaceLabel: Path = ['namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'];

const everyRow: readonly ValueRow[] = [
  { path: 'enabled', description: 'Of the umbrella chart: install this part.', schema: FLAG, standard: true },
  { path: 'namespace', description: 'Where everything is installed.', schema: TEXT },
  {
    path: 'createNamespace',
    description:
      'Make the namespace. False by default, since the Secret `credentials` must be there before the pods.',
    schema: FLAG,
    standard: false,
  },
  { path: 'image.repository', description: 'Without a tag.', schema: TEXT },
  {
    path: 'image.tag',
    description: 'Empty: the release of this chart.',
    schema: { type: 'string' },
    standard: '',
  },
  {
    path: 'image.digest',
    description: '`sha256:…`, in the place of the tag.',
    schema: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
    standard: '',
  },
  {
    path: 'settings',
    description: 'Environment of every pod; null removes one. Secrets are references to files.',
    schema: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
  },
  { path: 'http.resources', description: 'Of the pods that serve requests.', schema: RESOURCES },
  { path: 'host', description: 'Host name of the Ingress or the HTTPRoute.', schema: TEXT },
  {
    path: 'ingress.enabled',
    description: 'An Ingress; turn it off where `gateway` is on.',
    schema: FLAG,
    standard: true,
  },
  { path: 'ingress.className', description: 'Class of the ingress controller.', schema: TEXT },
  {
    path: 'ingress.annotations',
    description: 'For ingress-nginx; other controllers ignore them.',
    schema: MAP_OF_TEXT,
  },
  {
    path: 'ingress.tlsSecret',
    description: 'Secret with the certificate. Empty: no TLS.',
    schema: { type: 'string' },
  },
  {
    path: 'gateway.enabled',
    description: 'An HTTPRoute of the Gateway API.',
    schema: FLAG,
    standard: false,
  },
  { path: 'gateway.parentRefs', description: 'The Gateways that serve the route.', schema: PEERS },
  {
    path: 'network.ingressNamespace',
    description: 'Namespace of the ingress controller or the gateway, which may call the pods.',
    schema: TEXT,
  },
  {
    path: 'network.redis',
    description: 'Peers of a NetworkPolicy: every node of Redis, every sentinel.',
    schema: PEERS,
  },
  {
    path: 'egress',
    description: 'More ways out: a model gateway, Vault, SMTP, an identity provider.',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'to', 'ports'],
        properties: { name: TEXT, to: PEERS, ports: PEERS },
        additionalProperties: false,
      },
    },
    standard: [],
  },
  {
    path: 'team.enabled',
    description: 'Role, RoleBinding and ResourceQuota of the team that owns the namespace.',
    schema: FLAG,
    standard: false,
  },
  { path: 'team.subjects', description: 'The people of the team.', schema: PEERS },
  { path: 'team.quota', description: '`hard` of the ResourceQuota.', schema: QUANTITIES },
];

const serviceRows: readonly ValueRow[] = [
  { path: 'http.autoscaling', description: 'A HorizontalPodAutoscaler.', schema: FLAG, standard: true },
  {
    path: 'http.replicas.min',
    description: 'Without the autoscaler, their number.',
    schema: COUNT,
  },
  { path: 'http.replicas.max', description: 'At most.', schema: COUNT },
  {
    path: 'worker.autoscaling',
    description: 'A ScaledObject of KEDA.',
    schema: FLAG,
    standard: true,
  },
  { path: 'worker.replicas.min', description: 'Without KEDA, their number.', schema: COUNT },
  { path: 'worker.replicas.max', description: 'At most.', schema: COUNT },
  { path: 'worker.prometheus', description: 'The Prometheus that KEDA asks.', schema: TEXT },
  { path: 'worker.resources', description: 'Of the queue workers.', schema: RESOURCES },
  { path: 'migrate.resources', description: 'Of the Job that migrates.', schema: RESOURCES },
  {
    path: 'network.consoleNamespace',
    description: 'Namespace of the console, which may call the pods.',
    schema: TEXT,
  },
  {
    path: 'network.monitoringNamespace',
    description: 'Namespace of Prometheus, which may call the pods.',
    schema: TEXT,
  },
  {
    path: 'network.postgres',
    description: "Peers of a NetworkPolicy: this service's database and its pooler.",
    schema: PEERS,
  },
  {
    path: 'monitoring.enabled',
    description: 'ServiceMonitor and PodMonitor of the Prometheus operator.',
    schema: FLAG,
    standard: false,
  },
  {
    path: 'monitoring.labels',
    description: 'Labels by which your Prometheus selects monitors.',
    schema: MAP_OF_TEXT,
    standard: {},
  },
];

const consoleRows: readonly ValueRow[] = [
  { path: 'http.replicas', description: 'Pods of the console.', schema: COUNT },
];

const webPushRows: readonly ValueRow[] = [
  {
    path: 'webPush.enabled',
    description: 'Web push. The Secret `credentials` then holds `vapid-keys`.',
    schema: FLAG,
    standard: false,
  },
  {
    path: 'webPush.subject',
    description: 'A `mailto:` or `https:` address at which push services reach you.',
    schema: { type: 'string' },
    standard: '',
  },
];

/** Settings that `webPush` stands for. */
export const webPushSettings = {
  NOTIFICATIONS_WEB_PUSH_ENABLED: 'true',
  VAPID_KEYS: 'file:///run/secrets/parley/vapid-keys',
} as const;

const everySlot: readonly Slot[] = [
  { value: 'settings', kind: 'ConfigMap', name: 'settings', at: ['data'], form: 'block' },
  {
    value: 'http.resources',
    kind: 'Deployment',
    name: 'http',
    at: [...container, 'resources'],
    form: 'block',
  },
  { value: 'host', kind: 'Ingress', name: 'http', at: ['spec', 'rules', 0, 'host'], form: 'text' },
  { value: 'host', kind: 'HTTPRoute', name: 'http', at: ['spec', 'hostnames', 0], form: 'text' },
  {
    value: 'ingress.className',
    kind: 'Ingress',
    name: 'http',
    at: ['spec', 'ingressClassName'],
    form: 'text',
  },
  {
    value: 'ingress.annotations',
    kind: 'Ingress',
    name: 'http',
    at: ['metadata', 'annotations'],
    form: 'block',
  },
  { value: 'gateway.parentRefs', kind: 'HTTPRoute', name: 'http', at: ['spec', 'parentRefs'], form: 'block' },
  {
    value: 'network.ingressNamespace',
    kind: 'NetworkPolicy',
    name: 'from-ingress',
    at: ['spec', 'ingress', 0, 'from', 0, ...namespaceLabel],
    form: 'text',
  },
  {
    value: 'network.redis',
    kind: 'NetworkPolicy',
    name: 'to-redis',
    at: ['spec', 'egress', 0, 'to'],
    form: 'block',
  },
  { value: 'team.subjects', kind: 'RoleBinding', name: 'team', at: ['subjects'], form: 'block' },
  { value: 'team.quota', kind: 'ResourceQuota', name: 'team', at: ['spec', 'hard'], form: 'block' },
];

const serviceSlots: readonly Slot[] = [
  {
    value: 'worker.resources',
    kind: 'Deployment',
    name: 'worker',
    at: [...container, 'resources'],
    form: 'block',
  },
  {
    value: 'migrate.resources',
    kind: 'Job',
    name: 'migrate',
    at: [...container, 'resources'],
    form: 'block',
  },
  {
    value: 'http.replicas.min',
    kind: 'HorizontalPodAutoscaler',
    name: 'http',
    at: ['spec', 'minReplicas'],
    form: 'number',
  },
  {
    value: 'http.replicas.max',
    kind: 'HorizontalPodAutoscaler',
    name: 'http',
    at: ['spec', 'maxReplicas'],
    form: 'number',
  },
  {
    value: 'worker.replicas.min',
    kind: 'ScaledObject',
    name: 'worker',
    at: ['spec', 'minReplicaCount'],
    form: 'number',
  },
  {
    value: 'worker.replicas.max',
    kind: 'ScaledObject',
    name: 'worker',
    at: ['spec', 'maxReplicaCount'],
    form: 'number',
  },
  {
    value: 'worker.prometheus',
    kind: 'ScaledObject',
    name: 'worker',
    at: ['spec', 'triggers', 0, 'metadata', 'serverAddress'],
    form: 'text',
  },
  ...(['console', 'monitoring'] as const).map((caller): Slot => ({
    value: `network.${caller}Namespace`,
    kind: 'NetworkPolicy',
    name: `from-${caller}`,
    at: ['spec', 'ingress', 0, 'from', 0, ...namespaceLabel],
    form: 'text',
  })),
  {
    value: 'network.postgres',
    kind: 'NetworkPolicy',
    name: 'to-postgres',
    at: ['spec', 'egress', 0, 'to'],
    form: 'block',
  },
];

const consoleSlots: readonly Slot[] = [
  { value: 'http.replicas', kind: 'Deployment', name: 'http', at: ['spec', 'replicas'], form: 'number' },
];

/** The values of a chart, in the order of values.yaml. */
export function rowsOf(app: string): readonly ValueRow[] {
  if (app === 'console') return [...everyRow, ...consoleRows];
  return [...everyRow, ...serviceRows, ...(app === 'notifications' ? webPushRows : [])];
}

export function slotsOf(app: string): readonly Slot[] {
  return [...everySlot, ...(app === 'console' ? consoleSlots : serviceSlots)];
}

type Values = Map<string, unknown>;

/** The value of every row, as manifests have it; a row without a member there is absent. */
export function readValues(app: string, resources: readonly Resource[], base: readonly Resource[]): Values {
  const values: Values = new Map();
  for (const { value, kind, name, at } of slotsOf(app)) {
    const found = memberAt(findResource(resources, kind, name), at);
    if (found !== undefined && !values.has(value)) values.set(value, found);
  }
  const deployment = findResource(resources, 'Deployment', 'http')!;
  values.set('namespace', deployment.metadata.namespace);
  const image = memberAt(deployment, [...container, 'image']) as string;
  const [, repository, digest, tag] = /^(.*?)(?:@(sha256:.*)|:([^:/]*))$/.exec(image)!;
  values.set('image.repository', repository);
  values.set('image.digest', digest ?? '');
  values.set('image.tag', tag ?? '');
  readSwitches(app, resources, values);
  readWebPush(values);
  values.set('egress', readEgress(resources, base));
  return values;
}

/** Parts that are on where their resource is there. */
function readSwitches(app: string, resources: readonly Resource[], values: Values): void {
  const has = (kind: string) => resources.some((one) => one.kind === kind);
  values.set('createNamespace', has('Namespace'));
  values.set('ingress.enabled', has('Ingress'));
  values.set('gateway.enabled', has('HTTPRoute'));
  values.set('team.enabled', has('ResourceQuota'));
  if (has('Ingress')) {
    const ingress = findResource(resources, 'Ingress', 'http');
    values.set('ingress.tlsSecret', memberAt(ingress, ['spec', 'tls', 0, 'secretName']) ?? '');
  }
  if (app === 'console') return;
  values.set('monitoring.enabled', has('PodMonitor'));
  values.set('http.autoscaling', has('HorizontalPodAutoscaler'));
  values.set('worker.autoscaling', has('ScaledObject'));
  for (const name of ['http', 'worker']) {
    const replicas = memberAt(findResource(resources, 'Deployment', name), ['spec', 'replicas']);
    if (replicas !== undefined) values.set(`${name}.replicas.min`, replicas);
  }
}

function readWebPush(values: Values): void {
  const settings = values.get('settings') as Record<string, string>;
  if (settings['NOTIFICATIONS_WEB_PUSH_ENABLED'] !== 'true') return;
  const { VAPID_SUBJECT: subject, ...rest } = settings;
  for (const name of Object.keys(webPushSettings)) delete rest[name];
  values.set('webPush.enabled', true);
  values.set('webPush.subject', subject);
  values.set('settings', rest);
}

/** Policies that the base does not have. */
function readEgress(resources: readonly Resource[], base: readonly Resource[]): object[] {
  return resources
    .filter(({ kind, metadata: { name } }) => kind === 'NetworkPolicy' && !findResource(base, kind, name))
    .map((policy) => ({
      name: policy.metadata.name,
      to: memberAt(policy, ['spec', 'egress', 0, 'to']),
      ports: memberAt(policy, ['spec', 'egress', 0, 'ports']),
    }));
}

export type { Values };
