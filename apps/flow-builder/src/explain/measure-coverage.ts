// GET and POST /v1/flows/{flow_id}/coverage: which edges and nodes stored tests, generated tests
// and recorded turns visit.
import type { Script } from '@parley/flow-analysis';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { conversationTest } from '../conversations/schemas.ts';
import { readTestBatches } from '../conversations/stored-tests.ts';
import type { CoverageInput, SelectedVersion } from '../heavy/explain-jobs.ts';
import type { HeavyOutput } from '../heavy/heavy-jobs.ts';
import { readDefinition } from '../heavy/job-parts.ts';
import { selectVersion } from './select-version.ts';
import type { CoverageRequest } from './schemas.ts';

type CoverageDeps = Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>;

/** Visits of each edge and node, and the number of conversations or turns that were counted. */
class Tally {
  readonly edges = new Map<number, number>();
  readonly nodes = new Map<string, number>();
  count = 0;

  add({ edges, nodes, count }: HeavyOutput<'cover'>): this {
    for (const [edge, times] of edges) this.edges.set(edge, (this.edges.get(edge) ?? 0) + times);
    for (const [node, times] of nodes) this.nodes.set(node, (this.nodes.get(node) ?? 0) + times);
    this.count += count;
    return this;
  }
}

/** @throws AppError not_found, invalid_request, request_too_costly */
export async function measureCoverage(
  deps: CoverageDeps,
  caller: Caller,
  flowId: string,
  body: CoverageRequest,
) {
  const looked = await selectVersion(deps, caller, flowId, body);
  const coverBy = async (by: CoverageInput['by']) =>
    deps.heavyWork.run(caller.organizationId, 'cover', { ...looked, nowMs: deps.clock(), by });
  const stored = new Tally();
  for await (const batch of readTestBatches(deps.sql, { organizationId: caller.organizationId, flowId })) {
    const scripts: Script[] = batch.map(({ test }) => conversationTest.parse(test));
    stored.add(await coverBy({ scripts }));
  }
  const generated = new Tally().add(await coverBy('generated'));
  const recorded = new Tally();
  const covered = body.turns.length > 0 ? await coverBy({ turns: body.turns }) : null;
  if (covered !== null) recorded.add(covered);
  const tables = toTables(looked, { stored, generated, recorded });
  return {
    flow_id: flowId,
    version: looked.version,
    ...tables,
    unrecognised: covered?.unrecognised ?? [],
  };
}

function toTables(looked: SelectedVersion, by: Readonly<Record<'stored' | 'generated' | 'recorded', Tally>>) {
  const { nodes, edges } = readDefinition(looked).definition as {
    readonly nodes: readonly { readonly id: string }[];
    readonly edges?: readonly { readonly source: string; readonly target: string }[] | null;
  };
  const each = (count: (tally: Tally) => number) => ({
    stored: count(by.stored),
    generated: count(by.generated),
    recorded: count(by.recorded),
  });
  return {
    looked_at: each(({ count }) => count),
    taken: { edges: each((tally) => tally.edges.size), nodes: each((tally) => tally.nodes.size) },
    edges: (edges ?? []).map(({ source, target }, edge_index) => ({
      edge_index,
      source,
      target,
      ...each((tally) => tally.edges.get(edge_index) ?? 0),
    })),
    nodes: [...new Set(nodes.map(({ id }) => id))].map((node_id) => ({
      node_id,
      ...each((tally) => tally.nodes.get(node_id) ?? 0),
    })),
  };
}
