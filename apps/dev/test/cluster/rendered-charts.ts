// What the charts are made from, and what Helm makes of them. HELM is its path
// (src/commands/test-cluster.ts).
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPS, buildRoute, type Overlay, type Rendered } from '../../src/shipping/charts/charts.ts';
import { readText, root } from '../shipping/facts.ts';
import { parseResources, renderKustomization, renderWithComponents, type Resource } from './rendered.ts';

type App = (typeof APPS)[number];

export const CHARTS = 'k8s/charts';
export const version = (JSON.parse(readText('package.json')) as { version: string }).version;

function forEachApp<Value>(make: (app: App) => Value): Record<App, Value> {
  return Object.fromEntries(APPS.map((app) => [app, make(app)])) as Record<App, Value>;
}

/** Only the services have metrics. */
export function componentsOf(app: App): string[] {
  return ['team', ...(app === 'console' ? [] : ['monitoring'])];
}

/** The route is generated, so it is made here and not read. */
function renderApp(app: App): Rendered {
  const base = renderKustomization(`base/${app}`);
  const [route] = parseResources(buildRoute(base));
  route!.metadata.namespace = `parley-${app}`;
  return { base, whole: [...renderWithComponents(app, componentsOf(app)), route!] };
}

export const renderedApps = forEachApp(renderApp);

/** Resources of the apps in an overlay; servers beside them are no part of a chart. */
function renderOverlay(name: string): Overlay {
  const all = renderKustomization(`overlays/${name}`);
  return { name, resources: forEachApp((app) => all.filter((one) => isOf(app, one))) };
}

const isOf = (app: App, { kind, metadata }: Resource): boolean =>
  (kind === 'Namespace' ? metadata.name : metadata.namespace) === `parley-${app}`;

export const overlays = ['production', 'dev'].map(renderOverlay);

/** What `helm template` prints, of the umbrella with its charts beside it. */
export class HelmCharts {
  readonly #folder = mkdtempSync(join(tmpdir(), 'parley-charts-'));

  constructor() {
    cpSync(join(root, CHARTS), this.#folder, { recursive: true });
    this.run('dependency', 'build', join(this.#folder, 'parley'));
  }

  /** @throws with what Helm prints when it refuses the values. */
  template(chart: string, ...args: string[]): Resource[] {
    return parseResources(this.run('template', 'parley', join(this.#folder, chart), ...args));
  }

  lint(chart: string): string {
    return this.run('lint', '--strict', join(this.#folder, chart));
  }

  example(name: string): string {
    return join(this.#folder, 'examples', `${name}.yaml`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  private run(...args: string[]): string {
    return execFileSync(process.env['HELM']!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
}
