// The manifests in k8s/ as kubectl renders them: held against the schemas of Kubernetes and KEDA, and compared with the code that they run.
import { describe, expect, test } from '@jest/globals';
import { NODE_FLAGS } from '@parley/local-stack';
import { queuesOf } from '@parley/queues';
import { SERVICES, secretReference, type ServiceName } from '@parley/runtime';
import { environmentOf, queuesWatchedBy, readText, root, sourcesIn } from '../shipping/facts.ts';
import { memberProblems, schemaProblems } from './kubernetes-schemas.ts';
import { nameOf, podTemplateOf, renderKustomization, type Resource } from './rendered.ts';

/** Secret files of what the dev overlay leaves off. */
const ONLY_IN_PRODUCTION = new Set(['vapid-keys']);

const OVERLAYS = ['overlays/dev', 'overlays/production'] as const;
const DASHBOARDS = SERVICES.map((service) => `dashboard/${service}` as const);
const rendered = Object.fromEntries(
  [...OVERLAYS, ...DASHBOARDS].map((folder) => [folder, renderKustomization(folder)]),
) as Record<(typeof OVERLAYS)[number] | `dashboard/${ServiceName}`, Resource[]>;
const production = rendered['overlays/production'];
const everything = Object.values(rendered).flat();

/** What of our own services runs somewhere: the servers of the dev overlay are not ours. */
const ours = everything.filter(({ metadata }) => metadata.namespace !== 'parley-data');
const workloads = ours.filter((resource) => podTemplateOf(resource) !== undefined);
const named = (
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
const specOf = <Spec>(resource: Resource) => resource['spec'] as Spec;
const settingsOf = (service: ServiceName | 'console') =>
  named('ConfigMap', 'settings', service)['data'] as Record<string, string>;

describe('schemas', () => {
  test('every manifest is what Kubernetes and KEDA accept, without a member that does not exist', () => {
    expect(schemaProblems(root, everything)).toEqual([]);
    expect(memberProblems(root, everything)).toEqual([]);
  });

  test('mistakes would be found', () => {
    const broken = structuredClone(production);
    const find = (kind: string) => broken.find((resource) => resource.kind === kind)!;
    const container = podTemplateOf(find('Deployment'))!.spec.containers[0]!;
    container.ports![0]!.containerPort = '3000' as never;
    delete specOf<{ scaleTargetRef?: object }>(find('ScaledObject')).scaleTargetRef;
    expect(schemaProblems(root, broken)).toEqual([
      expect.stringMatching(/^Deployment .*containerPort must be integer/),
      expect.stringMatching(/^ScaledObject .*scaleTargetRef/),
    ]);
    const misspelt = structuredClone(find('NetworkPolicy'));
    (misspelt['spec'] as Record<string, unknown>)['policyType'] = ['Egress'];
    const [problem] = memberProblems(root, [misspelt]);
    expect(problem).toMatch(/^NetworkPolicy .*'?policyType'?/);
  });

  test.each(Object.entries(rendered))(
    '%s names nothing twice and puts everything in a namespace',
    (_, all) => {
      expect(new Set(all.map(nameOf)).size).toBe(all.length);
      expect(all.filter((one) => one.metadata.namespace === undefined).map((one) => one.kind)).toEqual(
        all.filter((one) => one.kind === 'Namespace').map(() => 'Namespace'),
      );
      expect(all.filter((one) => one.kind === 'Secret')).toEqual([]);
    },
  );
});

describe.each(workloads.map((workload) => [nameOf(workload), workload] as const))('%s', (_, workload) => {
  const service = workload.metadata.namespace!.replace('parley-', '') as ServiceName | 'console';
  const { spec } = podTemplateOf(workload)!;
  const [container] = spec.containers;

  test('runs without rights: no root, no token, nothing to write to', () => {
    expect(spec.containers).toHaveLength(1);
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.serviceAccountName).toBe('service');
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container!.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(container!.resources!.limits!)).toEqual(['memory']); // a CPU limit would only slow it down
    expect(Object.keys(container!.resources!.requests!).sort()).toEqual(['cpu', 'memory']);
  });

  test('runs the image of its service', () => {
    expect(container!.image).toMatch(new RegExp(`(^|/)parley/${service}:[\\w.-]+$`));
  });

  test('is told only what it reads', () => {
    const read = new Set([
      ...environmentOf(service).keys(),
      'NODE_OPTIONS',
      'OPERATOR_PASSWORD',
      'OPERATOR_READONLY_PASSWORD',
    ]);
    const names = (container!.env ?? []).map(({ name }) => name);
    if (container!.envFrom) names.push(...Object.keys(settingsOf(service)));
    expect(names.filter((name) => !read.has(name))).toEqual([]);
  });

  test('every secret file it is told of lies in a Secret that is mounted', () => {
    const told = [
      ...(container!.env ?? []).map(({ value }) => value),
      ...(container!.envFrom ? Object.values(settingsOf(service)) : []),
    ].filter((value) => value?.startsWith('file://'));
    expect(told.length).toBeGreaterThan(0);
    for (const reference of told) {
      expect(secretReference.safeParse(reference).success).toBe(true);
      const path = new URL(reference!).pathname;
      const mount = container!.volumeMounts!.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
      const volume = spec.volumes!.find(({ name }) => name === mount?.name);
      const key = path.slice(mount!.mountPath.length + 1);
      expect(volume!.secret!.items?.map((item) => item.path) ?? [key]).toContain(key);
      expect(readText('k8s/README.md')).toContain(`\`${key}\``);
      if (!ONLY_IN_PRODUCTION.has(key))
        expect(readText('k8s/overlays/dev/make-secrets.sh')).toContain(`${key}:`);
    }
  });
});

describe.each(SERVICES)('%s', (service) => {
  const http = podTemplateOf(named('Deployment', 'http', service))!;
  const worker = podTemplateOf(named('Deployment', 'worker', service))!;
  const job = podTemplateOf(named('Job', 'migrate', service))!;

  test('has everything that it cannot start without', () => {
    const given = settingsOf(service);
    const required = [...environmentOf(service)].filter(([, variable]) => variable.required);
    expect(required.map(([name]) => name).filter((name) => !(name in given))).toEqual([]);
    expect(given['QUEUE_URL'] ?? given['REDIS_URL']).toBeDefined(); // platformRules demands one of them
    expect(given['NODE_ENV']).toBe('production');
    expect(given['NODE_OPTIONS']!.split(' ')).toEqual(expect.arrayContaining(NODE_FLAGS)); // it takes the place of the image's
  });

  test('runs as http and as worker, and both listen where probes and Prometheus look', () => {
    const port = Number(settingsOf(service)['PORT']);
    for (const [template, role] of [
      [http, 'http'],
      [worker, 'worker'],
    ] as const) {
      const [container] = template.spec.containers;
      expect(container!.env).toEqual([{ name: 'ROLE', value: role }]);
      expect(container!.ports).toEqual([{ name: 'http', containerPort: port }]);
      expect(container!.startupProbe!.httpGet).toEqual({ path: '/health', port: 'http' });
      expect(container!.livenessProbe!.httpGet).toEqual({ path: '/health', port: 'http' });
      expect(container!.readinessProbe!.httpGet).toEqual({ path: '/ready', port: 'http' });
      expect(template.metadata.annotations).toMatchObject({
        'prometheus.io/port': String(port),
        'prometheus.io/path': '/metrics',
      });
      const routes = sourceOfOperations();
      for (const path of ['/health', '/ready', '/metrics']) expect(routes).toContain(`'${path}'`);
    }
    expect(readText('docker/Dockerfile')).toContain(`PORT=${port}`);
  });

  test('spreads over zones and machines, and never loses two at once', () => {
    for (const [template, name] of [
      [http, 'http'],
      [worker, 'worker'],
    ] as const) {
      const labels = template.metadata.labels;
      expect(template.spec.topologySpreadConstraints!.map(({ topologyKey }) => topologyKey)).toEqual([
        'topology.kubernetes.io/zone',
        'kubernetes.io/hostname',
      ]);
      for (const { labelSelector } of template.spec.topologySpreadConstraints!) {
        expect(labels).toMatchObject(labelSelector!.matchLabels!);
      }
      const budget = specOf<{ maxUnavailable: number; selector: { matchLabels: object } }>(
        named('PodDisruptionBudget', name, service),
      );
      expect(budget.maxUnavailable).toBe(1);
      expect(labels).toMatchObject(budget.selector.matchLabels);
      const deployment = specOf<{ strategy: { rollingUpdate: object }; selector: { matchLabels: object } }>(
        named('Deployment', name, service),
      );
      expect(deployment.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
      expect(labels).toMatchObject(deployment.selector.matchLabels);
      expect(labels['app.kubernetes.io/name']).toBe(service);
    }
    const service_ = specOf<{ selector: object; ports: object[] }>(named('Service', 'http', service));
    expect(http.metadata.labels).toMatchObject(service_.selector);
    expect(worker.metadata.labels).not.toMatchObject(service_.selector);
    expect(job.metadata.labels).not.toMatchObject(service_.selector);
  });

  test('HTTP scales on CPU, workers on the age of exactly the queues that they work off', () => {
    const hpa = specOf<{ scaleTargetRef: object; minReplicas: number }>(
      named('HorizontalPodAutoscaler', 'http', service),
    );
    expect(hpa.scaleTargetRef).toMatchObject({ kind: 'Deployment', name: 'http' });
    expect(hpa.minReplicas).toBeGreaterThanOrEqual(2);
    const scaled = specOf<{
      scaleTargetRef: object;
      minReplicaCount: number;
      triggers: { metadata: { query: string } }[];
    }>(named('ScaledObject', 'worker', service));
    expect(scaled.scaleTargetRef).toEqual({ name: 'worker' });
    expect(scaled.minReplicaCount).toBeGreaterThanOrEqual(2);
    expect(queuesWatchedBy(scaled.triggers[0]!.metadata.query)).toEqual(queuesOf(service).sort());
  });

  test('migrates with its own image, and nothing of a release serves before that is done', () => {
    for (const { spec } of [http, worker]) {
      expect(spec.initContainers).toHaveLength(1);
      const [waiting] = spec.initContainers!;
      expect(waiting).toMatchObject({
        args: ['cli/main.mjs', 'migrate', '--wait'],
        image: job.spec.containers[0]!.image,
      });
      expect(waiting!.securityContext).toEqual(spec.containers[0]!.securityContext);
      expect(waiting!.envFrom).toEqual(spec.containers[0]!.envFrom);
    }
    expect(job.spec.containers[0]!.args).toEqual(['cli/main.mjs', 'migrate']);
    expect(readText('docker/Dockerfile')).toContain('PARLEY_SERVICE=$APP');
  });

  test('is reached at a host of its own, where callers have business only', () => {
    const { rules } = specOf<{
      rules: { host: string; http: { paths: { path: string; pathType: string }[] } }[];
    }>(named('Ingress', 'http', service));
    expect(rules.map(({ host }) => host)).toEqual([`${service}.example.com`]);
    expect(rules[0]!.http.paths.map(({ path, pathType }) => `${pathType} ${path}`)).toEqual([
      'Prefix /v1',
      'Prefix /product/v1',
      'Exact /health',
      'Exact /openapi.json',
      ...(service === 'flow-builder' ? ['Prefix /openai/v1', 'Prefix /schemas'] : []),
      ...(service === 'voice-api' ? ['Prefix /.well-known/webhook-keys'] : []),
    ]);
  });

  test('its proxy takes what the largest endpoint takes, and limits nobody who is within a plan', () => {
    const limit = (name: string) => {
      const { annotations } = named('Ingress', 'http', service).metadata;
      return annotations![`nginx.ingress.kubernetes.io/${name}`]!;
    };
    // What the rows of the endpoint tables name, and the default of them all.
    const texts = [...sourcesIn(`apps/${service}/src`), ...sourcesIn('libs/http/src')]
      .map(({ text }) => text)
      .join('\n');
    const names = [...texts.matchAll(/bodyBytesMax: (\w+_MAX)/g)].map(([, name]) => name!);
    const largest = Math.max(
      ...[...names, 'BODY_BYTES_MAX'].map((name) => {
        const [found, factors = ''] = new RegExp(`const ${name} = ([\\d_ *]+);`).exec(texts) ?? [];
        expect([name, found]).not.toEqual([name, undefined]);
        return factors.split('*').reduce((bytes, factor) => bytes * Number(factor.replaceAll('_', '')), 1);
      }),
    );
    const largestMiB = largest / 1024 ** 2;
    expect(limit('proxy-body-size')).toBe(`${largestMiB + 1}m`);
    const numbersOf = (member: string) =>
      [
        ...readText('libs/organizations/src/plans.ts').matchAll(
          new RegExp(`${member}: (\\[.*\\]|[\\d_]+)`, 'g'),
        ),
      ]
        .flatMap(([, value]) => value!.match(/\d[\d_]*/g) ?? [])
        .map((digits) => Number(digits.replaceAll('_', '')));
    expect(numbersOf('requestsPerMinute').length).toBeGreaterThan(1);
    expect(Number(limit('limit-rps')) * 60).toBeGreaterThan(Math.max(...numbersOf('requestsPerMinute')));
    expect(Number(limit('limit-connections'))).toBeGreaterThan(
      Math.max(...numbersOf('concurrentConnections')),
    );
  });
});

describe('the console', () => {
  const { spec, metadata } = podTemplateOf(named('Deployment', 'http', 'console'))!;

  test('has everything that it cannot start without, and stands on a host of its own', () => {
    const given = settingsOf('console');
    const required = [...environmentOf('console')].filter(([, variable]) => variable.required);
    expect(required.map(([name]) => name).filter((name) => !(name in given))).toEqual([]);
    const { rules } = specOf<{ rules: { host: string; http: { paths: { path: string }[] } }[] }>(
      named('Ingress', 'http', 'console'),
    );
    expect(rules.map(({ host, http }) => [host, http.paths.map(({ path }) => path)])).toEqual([
      [new URL(given['CONSOLE_URL']!).host, ['/']],
    ]);
    expect(metadata.labels).toMatchObject(
      specOf<{ selector: object }>(named('Service', 'http', 'console')).selector,
    );
  });

  test('is asked where it answers', () => {
    const [container] = spec.containers;
    expect(container!.ports).toEqual([
      { name: 'http', containerPort: Number(settingsOf('console')['PORT']) },
    ]);
    const app = readText('apps/console/src/app.ts');
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
      expect(app).toContain(`'${container![probe]!.httpGet!.path}'`);
  });
});

describe('the network', () => {
  interface Policy {
    podSelector: { matchLabels?: object; matchExpressions?: object[] };
    policyTypes: string[];
    egress?: {
      to: { ipBlock?: { cidr: string; except?: string[] }; podSelector?: { matchLabels: object } }[];
      ports: { port: number | string }[];
    }[];
  }
  const policies = (service: ServiceName | 'console', among: Resource[]) =>
    among
      .filter((one) => one.kind === 'NetworkPolicy' && one.metadata.namespace === `parley-${service}`)
      .map((one) => ({ name: one.metadata.name, ...specOf<Policy>(one) }));

  test.each(SERVICES)('of %s is closed but for what is named', (service) => {
    const all = policies(service, production);
    const closed = all.find(({ name }) => name === 'closed')!;
    expect(closed).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect(closed.egress).toBeUndefined();
    const places = all.map(({ name }) => name).filter((name) => name.startsWith('to-'));
    expect(places).toEqual(
      expect.arrayContaining(['to-dns', 'to-outside', 'to-postgres', 'to-redis', 'to-vault']),
    );
    const [rule] = all.find(({ name }) => name === 'to-outside')!.egress!;
    expect(rule!.ports).toEqual([{ port: 443 }]); // OUTBOUND_PORTS
  });

  test('of the console is closed but for its way to the services, which let it in', () => {
    const all = policies('console', production);
    expect(all.map(({ name }) => name).sort()).toEqual([
      'closed',
      'from-ingress',
      'to-dns',
      'to-identity-provider',
      'to-services',
    ]);
    for (const service of SERVICES) {
      expect(policies(service, production).map(({ name }) => name)).toContain('from-console');
      const variable = `${service.replaceAll('-', '_').toUpperCase()}_URL`;
      expect(settingsOf('console')[variable]).toBe(`http://http.parley-${service}.svc`);
      expect(specOf<{ ports: object[] }>(named('Service', 'http', service)).ports).toMatchObject([
        { port: 80 },
      ]);
    }
  });

  test('a service reaches the database of no other', () => {
    const dev = SERVICES.map((service) => policies(service, rendered['overlays/dev']));
    const labels = dev.map((all) =>
      Object.keys(
        all.find(({ name }) => name === 'to-postgres')!.egress![0]!.to[0]!.podSelector!.matchLabels,
      ),
    );
    expect(labels).toEqual(SERVICES.map((service) => [`parley.dev/holds-${service}`]));
    const addresses = SERVICES.map(
      (service) =>
        policies(service, production).find(({ name }) => name === 'to-postgres')!.egress![0]!.to[0]!.ipBlock!
          .cidr,
    );
    expect(new Set(addresses).size).toBe(SERVICES.length);
  });
});

describe("the operators' dashboards", () => {
  test.each(SERVICES)('of %s holds the address of Redis and no key to anything sealed', (service) => {
    const { spec } = podTemplateOf(
      named('Deployment', 'queue-dashboard', service, rendered[`dashboard/${service}`]),
    )!;
    const [container] = spec.containers;
    expect(container!.args).toEqual(['cli/main.mjs', 'dashboard']);
    expect(container!.envFrom).toBeUndefined();
    const credentials = spec.volumes!.find(({ name }) => name === 'credentials')!.secret!;
    expect(credentials.items).toEqual([{ key: 'queue-url', path: 'queue-url' }]);
  });
});

function sourceOfOperations(): string {
  return readText('libs/http/src/operations.ts');
}
