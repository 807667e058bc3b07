// The manifests in k8s/ as kubectl renders them: held against the schemas of Kubernetes and KEDA,
// and compared with the code that they run.
import { describe, expect, test } from '@jest/globals';
import { SERVICES, secretReference, type ServiceName } from '@parley/server/runtime';
import { environmentOf, readText, root } from '../shipping/facts.ts';
import { memberProblems, schemaProblems } from './kubernetes-schemas.ts';
import { everything, named, production, rendered, settingsOf, specOf, workloads } from './deployed.ts';
import { nameOf, podTemplateOf, type Resource } from './rendered.ts';

/** Secret files of what the dev overlay leaves off. */
const ONLY_IN_PRODUCTION = new Set(['vapid-keys']);

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
      [new URL(given['PUBLIC_URL']!).host, ['/']],
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

  test('of the console is closed but for its ways to the services, which let it in, and to its sessions', () => {
    const all = policies('console', production);
    expect(all.map(({ name }) => name).sort()).toEqual([
      'closed',
      'from-ingress',
      'to-dns',
      'to-identity-provider',
      'to-redis',
      'to-services',
    ]);
    for (const service of SERVICES) {
      expect(policies(service, production).map(({ name }) => name)).toContain('from-console');
      const addresses = settingsOf('console')['SERVICE_URLS']?.split(/,\s*/);
      expect(addresses).toContain(`${service}=http://http.parley-${service}.svc`);
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
    expect(labels).toEqual(SERVICES.map((service) => [`parley/holds-${service}`]));
    const addresses = SERVICES.map(
      (service) =>
        policies(service, production).find(({ name }) => name === 'to-postgres')!.egress![0]!.to[0]!.ipBlock!
          .cidr,
    );
    expect(new Set(addresses).size).toBe(SERVICES.length);
  });
});

describe.each([...SERVICES, 'console'] as const)('the team of %s', (service) => {
  interface Quota {
    hard: Record<string, string>;
  }
  const quota = specOf<Quota>(named('ResourceQuota', 'team', service)).hard;

  test('may start what the autoscalers may, a pod more of each Deployment, the migrate Job and the dashboard', () => {
    const sums = { pods: 0, 'requests.cpu': 0, 'requests.memory': 0, 'limits.memory': 0 };
    const add = (resource: Resource, pods: number) => {
      const { requests, limits } = podTemplateOf(resource)!.spec.containers[0]!.resources!;
      sums.pods += pods;
      sums['requests.cpu'] += pods * quantityOf(requests!['cpu']!);
      sums['requests.memory'] += pods * quantityOf(requests!['memory']!);
      sums['limits.memory'] += pods * quantityOf(limits!['memory']!);
    };
    if (service === 'console') {
      const deployment = named('Deployment', 'http', service);
      add(deployment, specOf<{ replicas: number }>(deployment).replicas + 1);
    } else {
      const hpa = specOf<{ maxReplicas: number }>(named('HorizontalPodAutoscaler', 'http', service));
      const scaled = specOf<{ maxReplicaCount: number }>(named('ScaledObject', 'worker', service));
      add(named('Deployment', 'http', service), hpa.maxReplicas + 1);
      add(named('Deployment', 'worker', service), scaled.maxReplicaCount + 1);
      add(named('Job', 'migrate', service), 1);
      add(named('Deployment', 'queue-dashboard', service, rendered[`dashboard/${service}`]), 1);
    }
    for (const [name, needed] of Object.entries(sums))
      expect([name, quantityOf(quota[name]!) >= needed, needed]).toEqual([name, true, needed]);
  });

  test('is a group of its own, which cannot read Secrets', () => {
    const { rules } = named('Role', 'team', service) as unknown as {
      rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
    };
    const words = rules.flatMap(({ resources, verbs }) => [...resources, ...verbs]);
    expect(words).not.toContain('secrets');
    expect(words).not.toContain('*');
    const { subjects } = named('RoleBinding', 'team', service) as unknown as { subjects: { name: string }[] };
    expect(subjects.map(({ name }) => name)).toEqual([`parley-${service}`]);
  });
});

/** Such as 500m, 2 or 768Mi. */
function quantityOf(text: string | number): number {
  const [, digits, unit = ''] = /^([\d.]+)(m|Mi|Gi)?$/.exec(String(text))!;
  return Number(digits) * { '': 1, m: 0.001, Mi: 1024 ** 2, Gi: 1024 ** 3 }[unit]!;
}

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
