// Reads and writes a folder of flows (docs/flows-as-code.md#the-folder): `<flow_id>.yaml` or
// `.json` is a definition, `<flow_id>.tests.yaml` its tests, `.parley.json` the versions last
// synchronised.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { isPathId, jsonPointer } from '@parley/envelopes';
import type { ConversationTest } from '@parley/flow-analysis';
import { idProblem } from '@parley/flow-engine';
import { findRefusedJson } from '@parley/server/http';

/** The limit of the flow builder. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
const FLOWS_MAX = 1_000;
const LOCK = '.parley.json';

export type Definition = Readonly<Record<string, unknown>>;
export type Tests = Readonly<Record<string, ConversationTest>>;
export type Format = 'yaml' | 'json';

export interface FlowFile {
  readonly flowId: string;
  /** Relative to the folder. */
  readonly file: string;
  readonly definition: Definition;
  readonly tests: Tests;
}

/** A problem of the user's: the program prints the message without a stack, and exits with 2. */
export class CommandError extends Error {}

/** Checks that there are turns with expectations; the flow builder checks the rest on push. */
const testsSchema = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,128}$/)
    .refine((name) => isPathId(name), 'consists of dots'),
  z.looseObject({ turns: z.array(z.looseObject({ expect: z.looseObject({}) })).min(1) }),
);

/** The flows with the given ids, or all. @throws CommandError */
export function readFolder(folder: string, wanted: readonly string[] = []): FlowFile[] {
  const files = listFiles(folder).filter(
    (name) => /\.(ya?ml|json)$/.test(name) && !isTests(name) && name !== LOCK,
  );
  const flows = files.map((file) => ({ file, flowId: file.replace(/\.[a-z]+$/, '') }));
  const twice = flows.find(({ flowId }, at) => flows.findIndex((other) => other.flowId === flowId) !== at);
  if (twice)
    throw new CommandError(`${join(folder, twice.file)}: the folder holds a second file of this flow`);
  if (flows.length > FLOWS_MAX) throw new CommandError(`${folder}: has more than ${FLOWS_MAX} flows`);
  const missing = wanted.find((id) => !flows.some(({ flowId }) => flowId === id));
  if (missing !== undefined) throw new CommandError(`${folder}: there is no file of a flow "${missing}"`);
  return flows
    .filter(({ flowId }) => wanted.length === 0 || wanted.includes(flowId))
    .map(({ flowId, file }) => {
      const problem = idProblem(flowId) ?? (isPathId(flowId) ? null : 'consists of dots');
      if (problem !== null) throw new CommandError(`${join(folder, file)}: "${flowId}" ${problem}`);
      return { flowId, file, definition: readObject(folder, file), tests: readTests(folder, flowId) };
    });
}

const isTests = (name: string) => /\.tests\.(ya?ml|json)$/.test(name);

function readTests(folder: string, flowId: string): Tests {
  const file = findFile(folder, `${flowId}.tests`);
  if (file === null) return {};
  const tests = testsSchema.safeParse(readObject(folder, file));
  if (tests.success) return tests.data;
  const [issue] = tests.error.issues;
  throw new CommandError(`${join(folder, file)}: ${jsonPointer(issue!.path)} ${issue!.message}`);
}

/** The file of that name in any format. */
function findFile(folder: string, name: string): string | null {
  return (
    ['yaml', 'yml', 'json']
      .map((format) => `${name}.${format}`)
      .find((file) => existsSync(join(folder, file))) ?? null
  );
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) throw new CommandError(`${folder}: there is no such folder`);
  return readdirSync(folder).sort();
}

function readObject(folder: string, file: string): Definition {
  const path = join(folder, file);
  if (statSync(path).size > FILE_BYTES_MAX)
    throw new CommandError(`${path}: has more than ${FILE_BYTES_MAX} bytes`);
  const text = readFileSync(path, 'utf8');
  let value: unknown;
  try {
    value = file.endsWith('.json') ? JSON.parse(text) : parse(text);
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message.split('\n')[0]}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandError(`${path}: must hold an object`);
  const [problem] = findRefusedJson(value);
  if (problem) throw new CommandError(`${path}: ${problem.path} ${problem.message}`);
  return value as Definition;
}

/** Keeps the format of an existing file, and does not touch a file with the same content. */
export function writeDocument(folder: string, name: string, value: object, format: Format): string {
  const file = findFile(folder, name) ?? `${name}.${format}`;
  const path = join(folder, file);
  if (existsSync(path) && isDeepStrictEqual(readObject(folder, file), value)) return file;
  const text = file.endsWith('.json')
    ? `${JSON.stringify(value, null, 2)}\n`
    : stringify(value, { lineWidth: 0 });
  writeFileSync(path, text);
  return file;
}

/** Equal for equal documents whose members have the same order. */
export const computeDigest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** The version that a file was last pulled or pushed as, with the digest of its content then. */
const syncedVersion = z.object({ version: z.int(), digest: z.string() });
const lockSchema = z.record(z.string(), z.record(z.string(), syncedVersion));
export type SyncedVersion = z.output<typeof syncedVersion>;

/** The synchronised versions of one server's flows; `save` writes the file. */
export function openLock(folder: string, server: string) {
  const path = join(folder, LOCK);
  const all = existsSync(path) ? lockSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : {};
  const flows = (all[server] ??= {});
  return {
    of: (flowId: string): SyncedVersion | undefined => flows[flowId],
    save: (flowId: string, version: number, definition: Definition) => {
      flows[flowId] = { version, digest: computeDigest(definition) };
      writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`);
    },
  };
}
