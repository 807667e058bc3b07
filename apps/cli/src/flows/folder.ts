// A folder of flows (docs/flows-as-code.md#the-folder): `<flow_id>.yaml` or `.json` is a definition, `<flow_id>.tests.yaml` its tests by their
// names, `.parley.json` what was last seen on the server.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { isPathId, jsonPointer } from '@parley/envelopes';
import { idProblem, type ConversationTest } from '@parley/flow-engine';
import { findRefusedJson } from '@parley/http';

/** As the flow builder takes them. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
const FLOWS_MAX = 1_000;
const LOCK = '.parley.json';

export type Definition = Readonly<Record<string, unknown>>;
export type Tests = Readonly<Record<string, ConversationTest>>;
export type Format = 'yaml' | 'json';

export interface FlowFile {
  readonly flowId: string;
  /** In the folder. */
  readonly file: string;
  readonly definition: Definition;
  readonly tests: Tests;
}

/** What is wrong with a file, or cannot be done: it is told and nothing else. */
export class Refused extends Error {}

/** Turns and what they must come to; the engine reads the rest, and the flow builder all of it when it is pushed. */
const testsSchema = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,128}$/)
    .refine((name) => isPathId(name), 'has dots alone'),
  z.looseObject({ turns: z.array(z.looseObject({ expect: z.looseObject({}) })).min(1) }),
);

/** By id; all of them where none are named. @throws Refused */
export function readFolder(folder: string, wanted: readonly string[] = []): FlowFile[] {
  const files = namesIn(folder).filter(
    (name) => /\.(ya?ml|json)$/.test(name) && !isTests(name) && name !== LOCK,
  );
  const flows = files.map((file) => ({ file, flowId: file.replace(/\.[a-z]+$/, '') }));
  const twice = flows.find(({ flowId }, at) => flows.findIndex((other) => other.flowId === flowId) !== at);
  if (twice) throw new Refused(`${join(folder, twice.file)}: there is a second file of this flow`);
  if (flows.length > FLOWS_MAX) throw new Refused(`${folder}: has more than ${FLOWS_MAX} flows`);
  const missing = wanted.find((id) => !flows.some(({ flowId }) => flowId === id));
  if (missing !== undefined) throw new Refused(`${folder}: there is no file of a flow "${missing}"`);
  return flows
    .filter(({ flowId }) => wanted.length === 0 || wanted.includes(flowId))
    .map(({ flowId, file }) => {
      const problem = idProblem(flowId) ?? (isPathId(flowId) ? null : 'has dots alone');
      if (problem !== null) throw new Refused(`${join(folder, file)}: "${flowId}" ${problem}`);
      return { flowId, file, definition: objectIn(folder, file), tests: testsOf(folder, flowId) };
    });
}

const isTests = (name: string) => /\.tests\.(ya?ml|json)$/.test(name);

function testsOf(folder: string, flowId: string): Tests {
  const file = fileOf(folder, `${flowId}.tests`);
  if (file === null) return {};
  const tests = testsSchema.safeParse(objectIn(folder, file));
  if (tests.success) return tests.data;
  const [issue] = tests.error.issues;
  throw new Refused(`${join(folder, file)}: ${jsonPointer(issue!.path)} ${issue!.message}`);
}

/** The file of that name, whichever format it has. */
function fileOf(folder: string, name: string): string | null {
  return (
    ['yaml', 'yml', 'json']
      .map((format) => `${name}.${format}`)
      .find((file) => existsSync(join(folder, file))) ?? null
  );
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) throw new Refused(`${folder}: there is no such folder`);
  return readdirSync(folder).sort();
}

function objectIn(folder: string, file: string): Definition {
  const path = join(folder, file);
  if (statSync(path).size > FILE_BYTES_MAX)
    throw new Refused(`${path}: has more than ${FILE_BYTES_MAX} bytes`);
  const text = readFileSync(path, 'utf8');
  let value: unknown;
  try {
    value = file.endsWith('.json') ? JSON.parse(text) : parse(text);
  } catch (error) {
    throw new Refused(`${path}: ${(error as Error).message.split('\n')[0]}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refused(`${path}: must hold an object`);
  const [problem] = findRefusedJson(value);
  if (problem) throw new Refused(`${path}: ${problem.path} ${problem.message}`);
  return value as Definition;
}

/** Where there is a file of the name already it keeps its format, and one that says the same is left as it is. */
export function writeDocument(folder: string, name: string, value: object, format: Format): string {
  const file = fileOf(folder, name) ?? `${name}.${format}`;
  const path = join(folder, file);
  if (existsSync(path) && isDeepStrictEqual(objectIn(folder, file), value)) return file;
  const text = file.endsWith('.json')
    ? `${JSON.stringify(value, null, 2)}\n`
    : stringify(value, { lineWidth: 0 });
  writeFileSync(path, text);
  return file;
}

/** Equal where two documents say the same in the same order. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** The version that a file was pulled or pushed as, and what it said then. */
const seen = z.object({ version: z.int(), digest: z.string() });
const lockSchema = z.record(z.string(), z.record(z.string(), seen));
export type Seen = z.output<typeof seen>;

/** What was last seen of a server's flows; `save` writes it down. */
export function openLock(folder: string, server: string) {
  const path = join(folder, LOCK);
  const all = existsSync(path) ? lockSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : {};
  const flows = (all[server] ??= {});
  return {
    of: (flowId: string): Seen | undefined => flows[flowId],
    save: (flowId: string, version: number, definition: Definition) => {
      flows[flowId] = { version, digest: digestOf(definition) };
      writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`);
    },
  };
}
