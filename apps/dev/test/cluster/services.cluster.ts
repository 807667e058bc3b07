// How each service is deployed, compared with the code that it runs.
import { describe, expect, test } from '@jest/globals';
import { NODE_FLAGS } from '../../src/stack/index.ts';
import { listQueues } from '@parley/jobs';
import { SERVICES } from '@parley/server/runtime';
import { environmentOf, queuesWatchedBy, readText, sourcesIn } from '../shipping/facts.ts';
import { named, settingsOf, specOf } from './deployed.ts';
import { podTemplateOf } from './rendered.ts';

describe.each(SERVICES)('%s', (service) => {
  const http = podTemplateOf(named('Deployment', 'http', service))!;
  const worker = podTemplateOf(named('Deployment', 'worker', service))!;
  const job = podTemplateOf(named('Job', 'migrate', service))!;

  test('has everything that it cannot start without', () => {
    const given = settingsOf(service);
    const required = [...environmentOf(service)].filter(([, variable]) => variable.required);
    expect(required.map(([name]) => name).filter((name) => !(name in given))).toEqual([]);
    expect(given['QUEUE_URL']).toBeDefined();
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
    expect(queuesWatchedBy(scaled.triggers[0]!.metadata.query)).toEqual(listQueues(service).sort());
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
      ...(service === 'voice-api'
        ? ['Exact /asyncapi.json', 'Prefix /portal', 'Prefix /.well-known/webhook-keys']
        : []),
    ]);
  });

  test('its proxy takes what the largest endpoint takes, and limits nobody who is within a plan', () => {
    const limit = (name: string) => {
      const { annotations } = named('Ingress', 'http', service).metadata;
      return annotations![`nginx.ingress.kubernetes.io/${name}`]!;
    };
    // What the rows of the endpoint tables name, and the default of them all.
    const texts = [...sourcesIn(`apps/${service}/src`), ...sourcesIn('libs/server/http/src')]
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
        ...readText('libs/server/organizations/src/plans.ts').matchAll(
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

function sourceOfOperations(): string {
  return readText('libs/server/http/src/operations.ts');
}
