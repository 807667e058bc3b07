// The Helm charts of k8s/charts: one for each service, and an umbrella over them. Everything in
// them is made from k8s/base and its components (docs/platform.md#releases).
import { parse } from 'yaml';
import { findResource, memberAt, setMember, yamlOf, type Path, type Resource } from './resource.ts';
import { buildTemplates } from './templates.ts';
import { readValues, rowsOf, type ValueRow, type Values } from './values.ts';

export const APPS = ['flow-builder', 'voice-api', 'notifications', 'console'] as const;
type App = (typeof APPS)[number];

/** What is rendered of an app: its base alone, and its base with every component. */
export interface Rendered {
  readonly base: readonly Resource[];
  readonly whole: readonly Resource[];
}

export interface Overlay {
  readonly name: string;
  /** Resources by app. */
  readonly resources: Readonly<Record<App, readonly Resource[]>>;
}

interface Tree {
  readonly [member: string]: unknown;
}

/** Files of k8s/charts, by path. */
export function buildCharts(
  version: string,
  rendered: Readonly<Record<App, Rendered>>,
  overlays: readonly Overlay[],
  alerts: string,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const app of APPS) {
    for (const [name, text] of buildChart(app, version, rendered[app])) files.set(`${app}/${name}`, text);
  }
  for (const [name, text] of buildUmbrella(version, alerts)) files.set(`parley/${name}`, text);
  for (const { name, resources } of overlays) {
    const values = Object.fromEntries(
      APPS.map((app) => [app, differences(app, rendered[app], resources[app])]),
    );
    files.set(
      `examples/${name}.yaml`,
      `# Values of the chart "parley" that give what k8s/overlays/${name} gives. Generated from it: npm run charts.\n${yamlOf(values)}`,
    );
  }
  return files;
}

function buildChart(app: App, version: string, { base, whole }: Rendered): Map<string, string> {
  const files = new Map<string, string>();
  const description = `Parley: ${app === 'console' ? 'the console' : app}`;
  files.set(
    'Chart.yaml',
    yamlOf({ apiVersion: 'v2', name: app, description, type: 'application', version, appVersion: version }),
  );
  files.set('values.yaml', valuesText(rowsOf(app), defaultsOf(app, { base, whole })));
  files.set('values.schema.json', jsonOf(schemaOf(rowsOf(app))));
  for (const [name, text] of buildTemplates(app, whole)) files.set(`templates/${name}`, text);
  return files;
}

/** What a chart renders without values of its own: the base, with the release's tag. */
function defaultsOf(app: App, { base, whole }: Rendered): Values {
  const values = readValues(app, base, base);
  for (const { path, standard } of rowsOf(app)) if (standard !== undefined) values.set(path, standard);
  for (const [path, value] of readValues(app, whole, whole)) if (!values.has(path)) values.set(path, value);
  return values;
}

/** Values that make the chart render an overlay. */
function differences(app: App, rendered: Rendered, overlay: readonly Resource[]): Tree {
  const defaults = treeOf(rowsOf(app), defaultsOf(app, rendered));
  const wanted = treeOf(rowsOf(app), readValues(app, overlay, rendered.whole));
  return differenceOf(defaults, wanted);
}

function differenceOf(before: Tree, after: Tree): Tree {
  const names = Object.keys({ ...before, ...after });
  return Object.fromEntries(
    names.flatMap((name): [string, unknown][] => {
      const [old, next] = [before[name], after[name]];
      if (next === undefined || JSON.stringify(old) === JSON.stringify(next)) return [];
      if (!isTree(old) || !isTree(next)) return [[name, next]];
      const removed = Object.keys(old).filter((member) => !(member in next) && isText(old[member]));
      const inner = { ...differenceOf(old, next), ...Object.fromEntries(removed.map((one) => [one, null])) };
      return Object.keys(inner).length === 0 ? [] : [[name, inner]];
    }),
  );
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === 'string';

function treeOf(rows: readonly ValueRow[], values: Values): Tree {
  const tree = {};
  for (const { path } of rows) if (values.has(path)) setMember(tree, path.split('.'), values.get(path));
  return tree;
}

/** values.yaml: each value under a comment that says what it is for. */
function valuesText(rows: readonly ValueRow[], values: Values): string {
  const tree = treeOf(rows, values);
  const lines = ['# Generated from k8s/base: npm run charts.'];
  const write = (value: Tree, path: Path, indent: string): void => {
    for (const [name, member] of Object.entries(value)) {
      const row = rows.find((one) => one.path === [...path, name].join('.'));
      if (row) lines.push(`${indent}# ${row.description}`);
      if (row || !isTree(member)) {
        const text = yamlOf({ [name]: member }).trimEnd();
        lines.push(text.replaceAll(/^(?=.)/gm, indent));
      } else {
        lines.push(`${indent}${name}:`);
        write(member, [...path, name], `${indent}  `);
      }
    }
  };
  write(tree, [], '');
  return `${lines.join('\n')}\n`;
}

interface ObjectSchema {
  type: 'object';
  properties: Record<string, object>;
  additionalProperties: false;
}

const emptySchema = (): ObjectSchema => ({ type: 'object', properties: {}, additionalProperties: false });

/** values.schema.json: every value is known, so a typo is an error. */
function schemaOf(rows: readonly ValueRow[]): object {
  const schema = emptySchema();
  schema.properties['global'] = { type: 'object' };
  for (const { path, description, schema: own } of rows) {
    const names = path.split('.');
    let parent = schema;
    for (const name of names.slice(0, -1)) {
      parent.properties[name] ??= emptySchema();
      parent = parent.properties[name] as ObjectSchema;
    }
    parent.properties[names.at(-1)!] = { description, ...own };
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
}

function buildUmbrella(version: string, alerts: string): Map<string, string> {
  const rows: readonly ValueRow[] = [
    {
      path: 'alerts.enabled',
      description: 'A PrometheusRule with every alert (files/alerts.yaml).',
      schema: { type: 'boolean' },
      standard: false,
    },
    {
      path: 'alerts.namespace',
      description: 'Where the Prometheus operator looks for rules.',
      schema: { type: 'string' },
      standard: 'monitoring',
    },
    {
      path: 'alerts.docs',
      description: 'Where you serve these docs; each alert links to its runbook there.',
      schema: { type: 'string', format: 'uri' },
      standard: DOCS_PLACEHOLDER,
    },
    {
      path: 'alerts.labels',
      description: 'Labels by which your Prometheus selects rules.',
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      standard: {},
    },
    ...APPS.map((app) => ({
      path: app,
      description: `Values of the chart ${app}: see ../${app}/values.yaml.`,
      schema: { type: 'object' },
      standard: { enabled: true },
    })),
  ];
  const values = new Map(rows.map(({ path, standard }) => [path, standard]));
  return new Map([
    [
      'Chart.yaml',
      yamlOf({
        apiVersion: 'v2',
        name: 'parley',
        description: 'Parley: three services, their console and their alerts',
        type: 'application',
        version,
        appVersion: version,
        dependencies: APPS.map((name) => ({
          name,
          version,
          repository: `file://../${name}`,
          condition: `${name}.enabled`,
        })),
      }),
    ],
    ['values.yaml', valuesText(rows, values)],
    ['values.schema.json', jsonOf(schemaOf(rows))],
    ['files/alerts.yaml', alerts],
    ['templates/prometheusrule.yaml', prometheusRuleTemplate],
  ]);
}

/** Where alerts say that the runbooks are. */
const DOCS_PLACEHOLDER = 'https://parley.example.com/docs';

/** `.Files.Get` does not read the braces of Prometheus' own templates. */
const prometheusRuleTemplate = `{{- /* Generated: npm run charts. */ -}}
{{- if .Values.alerts.enabled }}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: parley
  namespace: {{ .Values.alerts.namespace }}
  {{- with .Values.alerts.labels }}
  labels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- .Files.Get "files/alerts.yaml" | replace "${DOCS_PLACEHOLDER}" .Values.alerts.docs | fromYaml | toYaml | nindent 2 }}
{{- end }}
`;

/** k8s/observability/prometheus-rule.yaml, of the alerts. */
export function buildPrometheusRule(alerts: string): string {
  const { groups } = parse(alerts) as { groups: object[] };
  return `# Generated from alerts.yaml: npm run charts.\n${yamlOf({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'parley' },
    spec: { groups },
  })}`;
}

/** The HTTPRoute that routes what an Ingress routes. */
export function buildRoute(base: readonly Resource[]): string {
  const ingress = findResource(base, 'Ingress', 'http')!;
  const rule = memberAt(ingress, ['spec', 'rules', 0]) as {
    host: string;
    http: { paths: { path: string; pathType: 'Prefix' | 'Exact' }[] };
  };
  return `# Generated from the Ingress of k8s/base: npm run charts.\n${yamlOf({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'http' },
    spec: {
      parentRefs: [{ name: 'parley', namespace: 'gateway' }],
      hostnames: [rule.host],
      rules: [
        {
          matches: rule.http.paths.map(({ path, pathType }) => ({
            path: { type: pathType === 'Exact' ? 'Exact' : 'PathPrefix', value: path },
          })),
          backendRefs: [{ name: 'http', port: 80 }],
          // No limit of the gateway's: streams stay open, and a service ends a request itself.
          timeouts: { request: '0s' },
        },
      ],
    },
  })}`;
}

const jsonOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
