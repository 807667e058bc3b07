// The Helm charts are what the manifests are: the files are those that the generator makes, and
// what Helm renders is what kubectl renders, overlay by overlay.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { APPS, buildCharts, buildPrometheusRule, buildRoute } from '../../src/shipping/charts/charts.ts';
import { readText, root } from '../shipping/facts.ts';
import { memberProblems, schemaProblems } from './kubernetes-schemas.ts';
import { CHARTS, HelmCharts, componentsOf, overlays, renderedApps, version } from './rendered-charts.ts';
import {
  nameOf,
  parseResources,
  renderKustomization,
  renderWithComponents,
  type Resource,
} from './rendered.ts';

const alerts = readText('k8s/observability/alerts.yaml');

/** Every generated file, by path from the root. */
function generatedFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, text] of buildCharts(version, renderedApps, overlays, alerts))
    files.set(`${CHARTS}/${path}`, text);
  for (const app of APPS)
    files.set(`k8s/components/gateway/${app}/http-route.yaml`, buildRoute(renderedApps[app].base));
  files.set('k8s/observability/prometheus-rule.yaml', buildPrometheusRule(alerts));
  return files;
}

const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.endsWith('README.md'));

describe('the committed files', () => {
  const wanted = generatedFiles();

  beforeAll(() => {
    if (process.env['UPDATE_DOCS'] !== 'true') return;
    mkdirSync(join(root, CHARTS), { recursive: true });
    for (const path of filesOf(CHARTS)) if (!wanted.has(path)) rmSync(join(root, path));
    for (const [path, text] of wanted) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  });

  test('are what `npm run charts` writes', () => {
    for (const [path, text] of wanted)
      expect([path, readFileSync(join(root, path), 'utf8')]).toEqual([path, text]);
  });

  test('are no more than that', () => {
    expect(filesOf(CHARTS).filter((path) => !wanted.has(path))).toEqual([]);
  });
});

/** By name; a release names its migrate Job by its revision. */
function byName(resources: readonly Resource[]): Record<string, Resource> {
  return Object.fromEntries(
    resources.map((resource) => {
      const copy = structuredClone(resource);
      if (copy.kind === 'Job') copy.metadata.name = copy.metadata.name.replace(/^migrate-1$/, 'migrate');
      return [nameOf(copy), copy];
    }),
  );
}

describe('Helm', () => {
  let helm: HelmCharts;
  const everything: Resource[] = [];
  beforeAll(() => {
    helm = new HelmCharts();
  });
  afterAll(() => helm.close());

  test.each(overlays)(
    'renders the umbrella with the values of $name as that overlay',
    ({ name, resources }) => {
      const rendered = helm.template('parley', '--values', helm.example(name));
      expect(byName(rendered)).toEqual(byName(Object.values(resources).flat()));
    },
  );

  test.each(APPS)('renders %s alone as its base', (app) => {
    const rendered = helm.template(app, '--set', 'createNamespace=true,image.tag=latest');
    expect(byName(rendered)).toEqual(byName(renderedApps[app].base));
  });

  test.each(APPS)('renders %s with everything on as its base with every component', (app) => {
    const parts = [...componentsOf(app), 'gateway'].map((part) => `${part}.enabled=true`);
    const switches = [...parts, 'ingress.enabled=false', 'createNamespace=true', 'image.tag=latest'];
    const rendered = helm.template(app, '--set', switches.join(','));
    const components = [...componentsOf(app), `gateway/${app}`];
    expect(byName(rendered)).toEqual(byName(renderWithComponents(app, components)));
    everything.push(...rendered);
  });

  test('renders nothing that Kubernetes and its custom resources refuse', () => {
    expect(everything.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['HTTPRoute', 'PodMonitor']));
    expect(schemaProblems(root, everything)).toEqual([]);
    expect(memberProblems(root, everything)).toEqual([]);
  });

  test('custom resources with mistakes would be found', () => {
    const [route] = structuredClone(everything.filter(({ kind }) => kind === 'HTTPRoute'));
    const spec = route!['spec'] as { rules: [{ matches: [{ path: { type: string } }] }]; hostName?: string };
    spec.rules[0].matches[0].path.type = 'Prefix';
    expect(schemaProblems(root, [route!])).toEqual([expect.stringMatching(/^HTTPRoute .*type/)]);
    spec.rules[0].matches[0].path.type = 'PathPrefix';
    spec.hostName = 'example.com';
    expect(memberProblems(root, [route!])).toEqual([expect.stringMatching(/^HTTPRoute .*hostName/)]);
  });

  test('renders the alerts as the rule of the operator', () => {
    const docs = 'https://docs.example.org/parley';
    const linked = helm.template('parley', '--set', `alerts.enabled=true,alerts.docs=${docs}`);
    expect(JSON.stringify(linked)).toContain(`${docs}/runbooks.html#parleyerrors`);
    const rendered = helm.template('parley', '--set', 'alerts.enabled=true');
    const [rule] = rendered.filter(({ kind }) => kind === 'PrometheusRule');
    const [wanted] = renderKustomization('observability');
    expect(rule).toEqual(wanted);
    expect(schemaProblems(root, [rule!])).toEqual([]);
    expect(parseResources(buildPrometheusRule(alerts))[0]!['spec']).toEqual(wanted!['spec']);
  });

  test('takes values of a team: settings, a digest, ways out, web push, labels', () => {
    const values = [
      'settings.LOG_LEVEL=debug',
      'settings.QUEUE_PREFIX=null',
      `image.digest=sha256:${'0a'.repeat(32)}`,
      'webPush.enabled=true,webPush.subject=mailto:operations@example.com',
      'monitoring.enabled=true,monitoring.labels.release=prometheus',
      'egress[0].name=to-vault,egress[0].to[0].ipBlock.cidr=10.0.0.9/32,egress[0].ports[0].port=8200',
      'host=push.example.org,ingress.tlsSecret=',
    ];
    const rendered = byName(helm.template('notifications', '--set', values.join(',')));
    const find = (name: string) => rendered[name]!;
    const settings = find('ConfigMap parley-notifications/settings')['data'] as Record<string, string>;
    expect(settings).toMatchObject({ LOG_LEVEL: 'debug', VAPID_SUBJECT: 'mailto:operations@example.com' });
    expect(settings['QUEUE_PREFIX']).toBeUndefined();
    expect(JSON.stringify(find('Deployment parley-notifications/http'))).toContain(
      `"parley/notifications@sha256:${'0a'.repeat(32)}"`,
    );
    expect(find('NetworkPolicy parley-notifications/to-vault')['spec']).toMatchObject({
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.9/32' } }], ports: [{ port: 8200 }] }],
    });
    expect(find('PodMonitor parley-notifications/worker').metadata.labels).toEqual({ release: 'prometheus' });
    expect(find('Ingress parley-notifications/http')['spec']).toMatchObject({
      rules: [{ host: 'push.example.org' }],
    });
    expect(find('Ingress parley-notifications/http')['spec']).not.toHaveProperty('tls');
    expect(schemaProblems(root, Object.values(rendered))).toEqual([]);
  });

  test.each([
    ['voice-api', 'http.replica.min=3', /replica/],
    ['voice-api', 'http.replicas.min=many', /http\/replicas\/min|http.replicas.min/],
    ['console', 'worker.replicas.min=1', /worker/],
    ['parley', 'voice-api.hots=example.org', /hots/],
    ['parley', 'voiceapi.host=example.org', /voiceapi/],
  ])('refuses of %s the values %s', (chart, values, named) => {
    expect(() => helm.template(chart, '--set', values)).toThrow(named);
  });

  test.each([...APPS, 'parley'])('has nothing to say against %s', (chart) => {
    expect(helm.lint(chart)).toContain('0 chart(s) failed');
  });
});
