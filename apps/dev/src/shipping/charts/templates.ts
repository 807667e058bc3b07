// Turns the rendered manifests of a service into templates of its chart: members that values stand
// for become expressions, the rest stays as it is.
import { memberAt, setMember, yamlOf, type Path, type Resource } from './resource.ts';
import { slotsOf, webPushSettings } from './values.ts';

/** Resources that are there only where a value says so. */
const CONDITIONS: Readonly<Record<string, string>> = {
  Namespace: '.Values.createNamespace',
  HorizontalPodAutoscaler: '.Values.http.autoscaling',
  ScaledObject: '.Values.worker.autoscaling',
  Ingress: '.Values.ingress.enabled',
  HTTPRoute: '.Values.gateway.enabled',
  ServiceMonitor: '.Values.monitoring.enabled',
  PodMonitor: '.Values.monitoring.enabled',
  Role: '.Values.team.enabled',
  RoleBinding: '.Values.team.enabled',
  ResourceQuota: '.Values.team.enabled',
};

const HEADER = '{{- /* Generated from k8s/base: npm run charts. */ -}}\n';

export const helpers = `${HEADER}{{- define "parley.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}
`;

/** Lines for a member, given the spaces before its key and the text up to it. */
type Fill = (before: string, key: string) => string;

class Holes {
  readonly #fills: Fill[] = [];

  /** A text that stands in the YAML until `fill` replaces it. */
  add(fill: Fill): string {
    return `HOLE_${this.#fills.push(fill) - 1}_`;
  }

  fill(yaml: string): string {
    return yaml
      .split('\n')
      .map((line) => {
        const [, before = '', key = '', index] = /^( *(?:- )*)(?:([^:]+): )?HOLE_(\d+)_$/.exec(line) ?? [];
        return index === undefined ? line : this.#fills[Number(index)]!(before, key);
      })
      .join('\n');
  }
}

const inline =
  (expression: string): Fill =>
  (before, key) =>
    `${before}${key === '' ? '' : `${key}: `}{{ ${expression} }}`;

const block =
  (expression: string): Fill =>
  (before, key) =>
    `${before}${key}:\n${indented(before.length + 2, `{{- toYaml ${expression} | nindent ${before.length + 2} }}`)}`;

/** The templates of a chart, by file name. */
export function buildTemplates(app: string, resources: readonly Resource[]): Map<string, string> {
  const files = new Map([['_helpers.tpl', helpers]]);
  for (const resource of resources) {
    const name = resource.kind === 'Namespace' ? '' : `-${resource.metadata.name}`;
    files.set(`${resource.kind.toLowerCase()}${name}.yaml`, buildTemplate(app, resource));
  }
  files.set('egress.yaml', egress);
  return files;
}

function buildTemplate(app: string, original: Resource): string {
  const resource = structuredClone(original);
  const holes = new Holes();
  for (const { value, kind, name, at, form } of slotsOf(app)) {
    if (resource.kind !== kind || resource.metadata.name !== name) continue;
    const path = `.Values.${value}`;
    const fills = { text: inline(`${path} | quote`), number: inline(path), block: block(path) };
    setMember(resource, at, holes.add(value === 'settings' ? settingsFill(app) : fills[form]));
  }
  if (resource.metadata.namespace !== undefined)
    resource.metadata.namespace = holes.add(inline('.Values.namespace'));
  switchMembers(app, resource, holes);
  const yaml = holes.fill(yamlOf(resource));
  const condition = CONDITIONS[resource.kind];
  const body = condition === undefined ? yaml : `{{- if ${condition} }}\n${yaml}{{- end }}\n`;
  return `${HEADER}${body}`;
}

/** Members that depend on a value, or on the release. */
function switchMembers(app: string, resource: Resource, holes: Holes): void {
  const { kind, metadata } = resource;
  if (kind === 'Namespace') metadata.name = holes.add(inline('.Values.namespace'));
  // A Job cannot be changed, so each revision of the release has its own.
  if (kind === 'Job') metadata.name = holes.add(inline('printf "migrate-%d" .Release.Revision'));
  if (kind === 'ServiceMonitor' || kind === 'PodMonitor')
    setMember(metadata, ['labels'], holes.add(labelsFill));
  if (kind === 'Ingress') setMember(resource, ['spec', 'tls'], holes.add(tlsFill));
  if (kind === 'Deployment' && app !== 'console')
    resource['spec'] = {
      replicas: holes.add(replicasFill(metadata.name)),
      ...(resource['spec'] as object),
    };
  const pod: Path = ['spec', 'template', 'spec'];
  for (const list of ['containers', 'initContainers']) {
    const containers = (memberAt(resource, [...pod, list]) ?? []) as { image: string }[];
    for (const container of containers)
      container.image = holes.add(inline('include "parley.image" . | quote'));
  }
}

const tlsFill: Fill = (before) =>
  indented(
    before.length,
    `{{- if .Values.ingress.tlsSecret }}
tls:
  - hosts:
      - {{ .Values.host | quote }}
    secretName: {{ .Values.ingress.tlsSecret | quote }}
{{- end }}`,
  );

const replicasFill =
  (name: string): Fill =>
  (before) =>
    indented(
      before.length,
      `{{- if not .Values.${name}.autoscaling }}
replicas: {{ .Values.${name}.replicas.min }}
{{- end }}`,
    );

const labelsFill: Fill = (before) =>
  indented(
    before.length,
    `{{- with .Values.monitoring.labels }}
labels:
  {{- toYaml . | nindent ${before.length + 2} }}
{{- end }}`,
  );

/** What `webPush` switches on is settings. */
function settingsFill(app: string): Fill {
  if (app !== 'notifications') return block('.Values.settings');
  const settings = yamlOf(webPushSettings).trimEnd();
  return (before, key) => `${block('.Values.settings')(before, key)}
${indented(
  before.length + 2,
  `{{- if .Values.webPush.enabled }}
${settings}
VAPID_SUBJECT: {{ .Values.webPush.subject | quote }}
{{- end }}`,
)}`;
}

const egress = `${HEADER}{{- range .Values.egress }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .name }}
  namespace: {{ $.Values.namespace }}
spec:
  podSelector: {}
  policyTypes:
    - Egress
  egress:
    - to:
        {{- toYaml .to | nindent 8 }}
      ports:
        {{- toYaml .ports | nindent 8 }}
{{- end }}
`;

function indented(spaces: number, text: string): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));
}
