// The flows of a folder and those of a flow builder (docs/flows-as-code.md#with-a-server).
import { isDeepStrictEqual } from 'node:util';
import { ApiError, ConflictError, NotFoundError, type FlowBuilder } from '@parley/sdk';
import type { openLock } from './folder.ts';
import {
  digestOf,
  readFolder,
  Refused,
  writeDocument,
  type Definition,
  type FlowFile,
  type Format,
  type Tests,
} from './folder.ts';

type Print = (line: string) => void;
type Lock = ReturnType<typeof openLock>;

/** The latest version, or the one named; null where there is no such flow. */
async function storedFlow(server: FlowBuilder, flow_id: string, version: 'latest' | 'published' = 'latest') {
  try {
    return await server.getFlow({ flow_id, version });
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

async function storedTests(server: FlowBuilder, flow_id: string): Promise<Tests> {
  const tests: Record<string, Tests[string]> = {};
  for await (const { name, test } of server.listTests({ flow_id, limit: 100 })) tests[name] = test;
  return tests;
}

/** @returns whether every flow could be written: one that was changed here and there is left as it is. */
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
  const wanted = ids.length > 0 ? ids : await allIds(server);
  let isWhole = true;
  for (const flowId of wanted) {
    const stored = await storedFlow(server, flowId);
    if (stored === null) throw new Refused(`there is no flow "${flowId}"`);
    const here = local.get(flowId);
    const known = [lock.of(flowId)?.digest, digestOf(stored.definition)];
    if (here && !force && !known.includes(digestOf(here.definition))) {
      print(`${flowId}: was changed in ${here.file}, and is not overwritten; push it, or pull with --force`);
      isWhole = false;
      continue;
    }
    const file = writeDocument(folder, flowId, stored.definition, format);
    const tests = await storedTests(server, flowId);
    if (Object.keys(tests).length > 0) writeDocument(folder, `${flowId}.tests`, tests, format);
    lock.save(flowId, stored.version, stored.definition);
    print(`${flowId}: version ${stored.version} in ${file}, ${Object.keys(tests).length} tests`);
  }
  return isWhole;
}

async function allIds(server: FlowBuilder): Promise<string[]> {
  const ids = [];
  for await (const { flow_id } of server.listFlows({ limit: 100 })) ids.push(flow_id);
  return ids.sort();
}

/** Appends versions; what is published stays. @returns whether every flow could be. @throws Refused where somebody else was faster */
export async function push(
  server: FlowBuilder,
  {
    flows,
    lock,
    note,
    print,
  }: { flows: readonly FlowFile[]; lock: Lock; note?: string | undefined; print: Print },
): Promise<boolean> {
  let isWhole = true;
  for (const { flowId, file, definition, tests } of flows) {
    const stored = await storedFlow(server, flowId);
    const isSame = stored !== null && digestOf(stored.definition) === digestOf(definition);
    const known = lock.of(flowId);
    if (stored !== null && !isSame && known === undefined) {
      print(`${flowId}: is on the server and was never pulled; pull it first`);
      isWhole = false;
      continue;
    }
    const saved = isSame
      ? stored
      : await save(server, flowId, definition, stored === null ? null : known!.version, note);
    if (saved === null) {
      print(`${flowId}: version ${known!.version} is no longer the latest; pull, and merge`);
      isWhole = false;
      continue;
    }
    lock.save(flowId, saved.version, definition);
    const put = await putTests(server, flowId, tests);
    print(
      `${flowId}: ${isSame ? 'unchanged at' : 'pushed as'} version ${saved.version}, ${put} tests stored`,
    );
    for (const { code, message } of saved.validation.errors) {
      print(`${file}: error ${code}: ${message}`);
      isWhole = false;
    }
  }
  return isWhole;
}

/** null: the base version is no longer the latest. `base` null: the flow is new. */
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

/** Those that are not there, or say something else; the others stay. */
async function putTests(server: FlowBuilder, flow_id: string, tests: Tests): Promise<number> {
  const there = await storedTests(server, flow_id);
  const others = Object.entries(tests).filter(
    ([name, test]) => !isDeepStrictEqual(there[name], test), // members come back in another order
  );
  for (const [name, test] of others) await server.putTest({ flow_id, name, body: test as never });
  return others.length;
}

/** Of the files against what is published, else the latest. @returns whether anything differs. */
export async function diff(server: FlowBuilder, flows: readonly FlowFile[], print: Print): Promise<boolean> {
  let differs = false;
  for (const { flowId, definition } of flows) {
    const lines = await differences(server, flowId, definition);
    if (lines.length > 0) differs = true;
    for (const line of lines) print(line);
  }
  return differs;
}

async function differences(server: FlowBuilder, flow_id: string, definition: Definition): Promise<string[]> {
  if ((await storedFlow(server, flow_id)) === null) return [`${flow_id}: is new`];
  const { identical, summary, from } = await server.diffDefinition({ flow_id, body: { definition } });
  return identical ? [] : [`${flow_id}: against version ${from}`, ...summary.map((line) => `  ${line}`)];
}

/** What a command would do, to be looked at before it is done. */
export interface Plan {
  readonly lines: readonly string[];
  /** null: nothing is to be done. */
  readonly run: (() => Promise<void>) | null;
}

/** The latest version of each goes live. */
export async function planPublish(
  server: FlowBuilder,
  ids: readonly string[],
  print: Print,
): Promise<Plan[]> {
  return Promise.all(
    ids.map(async (flow_id) => {
      const stored = await storedFlow(server, flow_id);
      if (stored === null) throw new Refused(`there is no flow "${flow_id}"`);
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

/** What is published there goes live here, with its tests, which are run before. */
export async function planPromotion(
  from: FlowBuilder,
  to: FlowBuilder,
  ids: readonly string[],
  print: Print,
): Promise<Plan[]> {
  return Promise.all(
    ids.map(async (flowId) => {
      const source = await storedFlow(from, flowId, 'published');
      if (source === null) throw new Refused(`"${flowId}" is not published where it comes from`);
      const target = await storedFlow(to, flowId);
      const tests = await storedTests(from, flowId);
      const isSame = target !== null && digestOf(target.definition) === digestOf(source.definition);
      if (isSame && target.published_version === target.version)
        return { lines: [`${flowId}: is published already`], run: null };
      const changes = isSame ? [] : await differences(to, flowId, source.definition);
      return {
        lines: [
          `${flowId}: promote version ${source.version}, with ${Object.keys(tests).length} tests`,
          ...changes.map((line) => `  ${line}`),
        ],
        run: async () => {
          const saved = isSame ? target : await save(to, flowId, source.definition, target?.version ?? null);
          if (saved === null) throw new Refused(`${flowId}: was changed meanwhile; make a new plan`);
          await putTests(to, flowId, tests);
          await publish(to, flowId, saved.version, print);
        },
      };
    }),
  );
}

/** @throws Refused where a stored test fails, or the version has errors */
async function publish(server: FlowBuilder, flow_id: string, version: number, print: Print): Promise<void> {
  try {
    await server.publishFlow({ flow_id, body: { version } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    throw new Refused(`${flow_id}: ${error.message}`);
  }
  print(`${flow_id}: version ${version} is published`);
}
