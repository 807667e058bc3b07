// Synchronises a folder with a flow builder (docs/flows-as-code.md#with-a-server).
import { isDeepStrictEqual } from 'node:util';
import { listCalls } from '@parley/flow-engine';
import { ApiError, ConflictError, NotFoundError, type FlowBuilder } from '@parley/sdk';
import type { openLock } from './folder.ts';
import {
  computeDigest,
  readFolder,
  CommandError,
  writeDocument,
  type Definition,
  type FlowFile,
  type Format,
  type Tests,
} from './folder.ts';

type Print = (line: string) => void;
type Lock = ReturnType<typeof openLock>;

/** null when there is no such flow. */
async function findFlow(server: FlowBuilder, flow_id: string, version: 'latest' | 'published' = 'latest') {
  try {
    return await server.getFlow({ flow_id, version });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

async function readStoredTests(server: FlowBuilder, flow_id: string): Promise<Tests> {
  const tests: Record<string, Tests[string]> = {};
  for await (const { name, test } of server.listTests({ flow_id, limit: 100 })) tests[name] = test;
  return tests;
}

/** Does not overwrite a file with local changes. @returns whether it wrote every flow */
export async function pull(
  server: FlowBuilder,
  {
    folder,
    ids,
    lock,
    format,
    force,
    print,
  }: { folder: string; ids: string[]; lock: Lock; format: Format; force: boolean; print: Print },
): Promise<boolean> {
  const local = new Map(readFolder(folder).map((flow) => [flow.flowId, flow]));
  const wanted = ids.length > 0 ? ids : await listFlowIds(server);
  let isWhole = true;
  for (const flowId of wanted) {
    const stored = await findFlow(server, flowId);
    if (stored === null) throw new CommandError(`there is no flow "${flowId}"`);
    const here = local.get(flowId);
    const known = [lock.of(flowId)?.digest, computeDigest(stored.definition)];
    if (here && !force && !known.includes(computeDigest(here.definition))) {
      print(
        `${flowId}: ${here.file} has local changes and was not overwritten; push it, or pull with --force`,
      );
      isWhole = false;
      continue;
    }
    const file = writeDocument(folder, flowId, stored.definition, format);
    const tests = await readStoredTests(server, flowId);
    if (Object.keys(tests).length > 0) writeDocument(folder, `${flowId}.tests`, tests, format);
    lock.save(flowId, stored.version, stored.definition);
    print(`${flowId}: version ${stored.version} in ${file}, ${Object.keys(tests).length} tests`);
  }
  return isWhole;
}

async function listFlowIds(server: FlowBuilder): Promise<string[]> {
  const ids = [];
  for await (const { flow_id } of server.listFlows({ limit: 100 })) ids.push(flow_id);
  return ids.sort();
}

/** Called flows first. A cycle of calls, which validation refuses, ends where it began. */
export function sortByCalls(flows: readonly FlowFile[]): FlowFile[] {
  const byId = new Map(flows.map((flow) => [flow.flowId, flow]));
  const sorted = new Set<FlowFile>();
  const visit = (flow: FlowFile | undefined): void => {
    if (!flow || !byId.delete(flow.flowId)) return;
    for (const { flowId } of listCalls(flow.definition)) visit(byId.get(flowId));
    sorted.add(flow);
  };
  flows.forEach(visit);
  return [...sorted];
}

interface PushOptions {
  readonly flows: readonly FlowFile[];
  readonly lock: Lock;
  readonly note?: string | undefined;
  /** Publishes each flow, so that the next one may call its published version. */
  readonly publishes: boolean;
  readonly print: Print;
}

/** Appends versions, called flows first. @returns whether it stored every flow without errors */
export async function push(server: FlowBuilder, options: PushOptions): Promise<boolean> {
  let isWhole = true;
  for (const flow of sortByCalls(options.flows)) {
    try {
      if (!(await pushFlow(server, flow, options))) isWhole = false;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error;
      for (const finding of readFindings(error)) options.print(`${flow.file}: error ${finding}`);
      isWhole = false;
    }
  }
  return isWhole;
}

/** The findings of a refused definition; the message of any other refusal. */
function readFindings({ body, message }: ApiError): string[] {
  const { validation } = body as {
    validation?: { errors?: { path: string; code: string; message: string }[] };
  };
  const findings = validation?.errors?.map((one) => `${one.path} ${one.code}: ${one.message}`) ?? [];
  return findings.length > 0 ? findings : [message];
}

async function pushFlow(
  server: FlowBuilder,
  { flowId, file, definition, tests }: FlowFile,
  { lock, note, publishes, print }: PushOptions,
): Promise<boolean> {
  const stored = await findFlow(server, flowId);
  const isSame = stored !== null && computeDigest(stored.definition) === computeDigest(definition);
  const known = lock.of(flowId);
  if (stored !== null && !isSame && known === undefined) {
    print(`${flowId}: exists on the server and was never pulled; pull it first`);
    return false;
  }
  const saved = isSame
    ? stored
    : await save(server, flowId, definition, stored === null ? null : known!.version, note);
  if (saved === null) {
    print(`${flowId}: version ${known!.version} is no longer the latest; pull and merge`);
    return false;
  }
  lock.save(flowId, saved.version, definition);
  const put = await putTests(server, flowId, tests);
  print(`${flowId}: ${isSame ? 'unchanged at' : 'pushed as'} version ${saved.version}, ${put} tests stored`);
  for (const { path, code, message } of saved.validation.errors)
    print(`${file}: error ${String(path)} ${code}: ${message}`);
  if (saved.validation.errors.length > 0) return false;
  if (publishes && saved.published_version !== saved.version)
    await publish(server, flowId, saved.version, print);
  return true;
}

/** `base` is null for a new flow. @returns null when the base version is no longer the latest */
async function save(
  server: FlowBuilder,
  flow_id: string,
  definition: Definition,
  base: number | null,
  note?: string,
) {
  if (base === null) return server.createFlow({ body: { flow_id, definition } });
  try {
    return await server.updateFlow({
      flow_id,
      body: { definition, base_version: base, ...(note ? { note } : {}) },
    });
  } catch (error) {
    if (error instanceof ConflictError && error.code === 'stale_version') return null;
    throw error;
  }
}

/** Stores new and changed tests. @returns how many */
async function putTests(server: FlowBuilder, flow_id: string, tests: Tests): Promise<number> {
  const there = await readStoredTests(server, flow_id);
  const others = Object.entries(tests).filter(
    ([name, test]) => !isDeepStrictEqual(there[name], test), // the server returns members in another order
  );
  for (const [name, test] of others) await server.putTest({ flow_id, name, body: test as never });
  return others.length;
}

/** Compares files with the published version, else the latest. @returns whether anything differs */
export async function diff(server: FlowBuilder, flows: readonly FlowFile[], print: Print): Promise<boolean> {
  let differs = false;
  for (const { flowId, definition } of flows) {
    const lines = await listDifferences(server, flowId, definition);
    if (lines.length > 0) differs = true;
    for (const line of lines) print(line);
  }
  return differs;
}

async function listDifferences(
  server: FlowBuilder,
  flow_id: string,
  definition: Definition,
): Promise<string[]> {
  if ((await findFlow(server, flow_id)) === null) return [`${flow_id}: is new`];
  const { identical, summary, from } = await server.diffDefinition({ flow_id, body: { definition } });
  return identical ? [] : [`${flow_id}: against version ${from}`, ...summary.map((line) => `  ${line}`)];
}

/** What a command would do, for confirmation. */
export interface Plan {
  readonly lines: readonly string[];
  /** null when there is nothing to do. */
  readonly run: (() => Promise<void>) | null;
}

export async function planPublish(
  server: FlowBuilder,
  ids: readonly string[],
  print: Print,
): Promise<Plan[]> {
  return Promise.all(
    ids.map(async (flow_id) => {
      const stored = await findFlow(server, flow_id);
      if (stored === null) throw new CommandError(`there is no flow "${flow_id}"`);
      const { version, published_version: published } = stored;
      if (published === version)
        return { lines: [`${flow_id}: version ${version} is published already`], run: null };
      const { summary } =
        published === null
          ? { summary: [] }
          : await server.diffFlow({ flow_id, from: published, to: version });
      const inPlace = published === null ? 'for the first time' : `in place of ${published}`;
      return {
        lines: [`${flow_id}: publish version ${version} ${inPlace}`, ...summary.map((line) => `  ${line}`)],
        run: () => publish(server, flow_id, version, print),
      };
    }),
  );
}

/** Publishes the source's published versions, with their tests, in the target. */
export async function planPromotion(
  from: FlowBuilder,
  to: FlowBuilder,
  ids: readonly string[],
  print: Print,
): Promise<Plan[]> {
  return Promise.all(
    ids.map(async (flowId) => {
      const source = await findFlow(from, flowId, 'published');
      if (source === null) throw new CommandError(`"${flowId}" is not published in the source organisation`);
      const target = await findFlow(to, flowId);
      const tests = await readStoredTests(from, flowId);
      const isSame = target !== null && computeDigest(target.definition) === computeDigest(source.definition);
      if (isSame && target.published_version === target.version)
        return { lines: [`${flowId}: is published already`], run: null };
      const changes = isSame ? [] : await listDifferences(to, flowId, source.definition);
      return {
        lines: [
          `${flowId}: promote version ${source.version}, with ${Object.keys(tests).length} tests`,
          ...changes.map((line) => `  ${line}`),
        ],
        run: async () => {
          const saved = isSame ? target : await save(to, flowId, source.definition, target?.version ?? null);
          if (saved === null)
            throw new CommandError(`${flowId}: changed since the plan; run the command again`);
          await putTests(to, flowId, tests);
          await publish(to, flowId, saved.version, print);
        },
      };
    }),
  );
}

/** @throws CommandError when a stored test fails, or the version has errors */
async function publish(server: FlowBuilder, flow_id: string, version: number, print: Print): Promise<void> {
  try {
    await server.publishFlow({ flow_id, body: { version } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    throw new CommandError(`${flow_id}: ${error.message}`);
  }
  print(`${flow_id}: version ${version} is published`);
}
