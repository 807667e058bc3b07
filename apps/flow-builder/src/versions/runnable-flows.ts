// Chooses the version that a turn runs and holds it compiled in memory
// (docs/flow-language.md#which-version-runs). `NOTIFY` drops moved publish pointers within a
// second; versions never change. A warm turn makes no round trip.
import { LRUCache } from 'lru-cache';
import { AppError } from '@parley/envelopes';
import type { Validation } from '@parley/flow-analysis';
import { patternCache, type AuthoredFlow } from '@parley/flow-engine';
import { createNoticedCache, type Listener, type Sql } from '@parley/server/postgres';
import type { Face } from '@parley/server/http';
import type { Clock } from '@parley/server/runtime';
import { loadFlow, type LoadedFlow } from './load-flow.ts';

/** Channel of the `NOTIFY` about a flow's versions or pointer. The payload is `flowKey`. */
export const FLOWS_CHANNEL = 'parley_flows';
/** A pointer takes a few dozen bytes. */
const POINTERS_CACHED_MAX = 100_000;
/**
 * Characters of the definitions behind the cached versions. Compiled they take up to fifteen times
 * as much: 120 MB.
 */
const COMPILED_CHARACTERS_MAX = 8 * 1024 * 1024;

/**
 * A purged flow frees its id, at the earliest a day after it was archived. Compiled versions live
 * shorter than that.
 */
const COMPILED_FOR_MS = 12 * 60 * 60 * 1000;

const agentModes = ['in_process', 'out_of_band'] as const;
export type AgentMode = (typeof agentModes)[number];

/** `agent_mode` of a definition overrides AGENT_MODE. */
export function readAgentMode(definition: Readonly<Record<string, unknown>>): AgentMode | null {
  return agentModes.find((mode) => mode === definition['agent_mode']) ?? null;
}

/** `model` of the global node: the model of every use. */
export function readFlowModel({ nodes }: AuthoredFlow): string | null {
  const model = nodes.find(({ type }) => type === 'global')?.['model'];
  return typeof model === 'string' ? model : null;
}

export interface Pointers {
  readonly publishedVersion: number | null;
  /** The newest version without errors. */
  readonly latestValid: number | null;
}

export interface RunnableVersion extends LoadedFlow {
  readonly valid: boolean;
  /** The bound of node visits that validation proved; null: none. */
  readonly stepsProvedMax: number | null;
  readonly agentMode: AgentMode | null;
  /** The model that the flow names. */
  readonly modelName: string | null;
  /** Characters of the stored definition: its weight in the cache. */
  readonly characters: number;
}

export interface RunnableFlows {
  /** The cached pointers, synchronously. */
  peekPointers(key: FlowKey): Pointers | null | undefined;
  /** Null when the organisation has no such flow. */
  getPointers(key: FlowKey): Promise<Pointers | null>;
  /** Drops the pointers. Call it after the commit that moved them. */
  forget(key: FlowKey): void;
  /** Any version, also a draft with errors. @throws AppError not_found */
  getVersion(key: FlowKey, version: number): Promise<RunnableVersion>;
  /** An executable version from the cache, synchronously. */
  peekValidVersion(key: FlowKey, version: number): RunnableVersion | undefined;
  /** @throws AppError not_found, flow_has_errors */
  getValidVersion(key: FlowKey, version: number): Promise<RunnableVersion>;
}

/** Flow ids are unique within an organisation. */
export interface FlowKey {
  readonly organizationId: string;
  readonly flowId: string;
}

export function flowKey(key: FlowKey): string {
  return JSON.stringify([key.organizationId, key.flowId]);
}

interface RunnableFlowsDeps {
  readonly sql: Sql;
  readonly listener: Listener;
  readonly clock: Clock;
}

export function createRunnableFlows(deps: RunnableFlowsDeps): RunnableFlows {
  const pointers = createPointerCache(deps);
  const versions = createVersionCache(deps.sql);

  const versionKey = ({ organizationId, flowId }: FlowKey, version: number) =>
    JSON.stringify([organizationId, flowId, version]);

  async function getVersion(key: FlowKey, version: number): Promise<RunnableVersion> {
    const found = await versions.fetch(versionKey(key, version));
    if (!found) throw versionNotFound(key, version);
    return found;
  }

  return {
    forget: (key) => pointers.drop(flowKey(key)),
    peekPointers: (key) => pointers.peek(flowKey(key)),
    getPointers: (key) => pointers.get(flowKey(key)),
    getVersion,
    peekValidVersion: (key, version) => {
      const known = versions.get(versionKey(key, version));
      return known?.valid ? known : undefined;
    },
    getValidVersion: async (key, version) => {
      const found = await getVersion(key, version);
      if (found.valid) return found;
      throw versionHasErrors(key, version);
    },
  };
}

function createPointerCache({ sql, listener, clock }: RunnableFlowsDeps) {
  return createNoticedCache<Pointers | null>({
    listener,
    channel: FLOWS_CHANNEL,
    clock,
    entriesMax: POINTERS_CACHED_MAX,
    load: async (key) => {
      const [row] = await sql<Pointers>(
        `SELECT published_version AS "publishedVersion", latest_valid AS "latestValid"
         FROM flows WHERE organization_id = $1 AND flow_id = $2 AND archived_at IS NULL`,
        JSON.parse(key) as [string, string],
      );
      return row ?? null;
    },
  });
}

function createVersionCache(sql: Sql) {
  const patterns = patternCache();
  return new LRUCache<string, RunnableVersion>({
    maxSize: COMPILED_CHARACTERS_MAX,
    ttl: COMPILED_FOR_MS,
    ttlResolution: 60_000,
    // Concurrent callers share one load. Failed loads are not cached.
    fetchMethod: async (key) => {
      const [row] = await sql<{
        definition: AuthoredFlow;
        validation: Validation;
        valid: boolean;
        characters: number;
      }>(
        `SELECT coalesce(expanded, definition) AS definition, validation, valid,
                length(coalesce(expanded, definition)::text) AS characters
         FROM flow_versions WHERE organization_id = $1 AND flow_id = $2 AND version = $3`,
        JSON.parse(key) as [string, string, number],
      );
      if (!row) return undefined;
      const { compiled, redaction } = await loadFlow(row.definition, patterns);
      return {
        compiled,
        redaction,
        valid: row.valid,
        stepsProvedMax: row.validation.stats.max_steps_per_turn,
        agentMode: readAgentMode(row.definition),
        modelName: readFlowModel(row.definition),
        characters: row.characters,
      };
    },
    sizeCalculation: (version) => version.characters,
  });
}

export interface VersionRequest extends FlowKey {
  readonly version: number | undefined;
  readonly face: Face;
}

export interface VersionToRun {
  readonly version: number;
  readonly runnable: RunnableVersion;
  /** A draft answers because nothing is published. */
  readonly unpublished: boolean;
}

/**
 * Chooses the requested version, else the published one, else on /v1 the latest without errors.
 * Synchronous with a warm cache: a warm turn awaits no microtask.
 * @throws AppError not_found, not_published, flow_has_errors
 */
export function findVersionToRun(
  flows: RunnableFlows,
  asked: VersionRequest,
): VersionToRun | Promise<VersionToRun> {
  const pointers = flows.peekPointers(asked);
  if (!pointers) return loadVersion(flows, asked);
  const version = asked.version ?? chooseNumber(pointers, asked);
  const runnable = flows.peekValidVersion(asked, version);
  return runnable === undefined
    ? loadVersion(flows, asked)
    : { version, runnable, unpublished: isUnpublished(asked, pointers) };
}

async function loadVersion(flows: RunnableFlows, asked: VersionRequest): Promise<VersionToRun> {
  const pointers = await flows.getPointers(asked);
  if (!pointers) throw flowNotFound(asked);
  const version = asked.version ?? chooseNumber(pointers, asked);
  const runnable = await flows.getValidVersion(asked, version);
  return { version, runnable, unpublished: isUnpublished(asked, pointers) };
}

const isUnpublished = ({ version }: VersionRequest, { publishedVersion }: Pointers): boolean =>
  version === undefined && publishedVersion === null;

function chooseNumber(pointers: Pointers, { face, flowId }: VersionRequest): number {
  if (pointers.publishedVersion !== null) return pointers.publishedVersion;
  if (face !== 'v1') throw new AppError('not_published', `flow "${flowId}" has no published version`);
  if (pointers.latestValid === null)
    throw new AppError('flow_has_errors', `flow "${flowId}" has no version without errors`);
  return pointers.latestValid;
}

export function flowNotFound({ flowId }: Pick<FlowKey, 'flowId'>): AppError {
  return new AppError('not_found', `there is no flow "${flowId}"`);
}

export function versionNotFound({ flowId }: FlowKey, version: number): AppError {
  return new AppError('not_found', `flow "${flowId}" has no version ${version}`);
}

export function versionHasErrors({ flowId }: FlowKey, version: number): AppError {
  return new AppError('flow_has_errors', `version ${version} of flow "${flowId}" has errors`);
}
