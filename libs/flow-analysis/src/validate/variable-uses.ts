// Collects who reads and who writes which variable in one pass over the flow, with every fault of a
// template on the way. Mirrors compile.ts: a text that the walk never renders is not read.
import { compileExtraction } from '@parley/flow-engine/walk/extraction';
import { readAnswerRules } from '@parley/flow-engine/define/answer-rules';
import { listComparisons } from '@parley/flow-engine/define/conditions';
import { parseTemplate } from '@parley/flow-engine/compile/template-syntax';
import { readAssignments, type Assignment } from '@parley/flow-engine/define/assignments';
import { limits } from '@parley/flow-engine/define/limits';
import type { Condition, EdgeModel, FlowModel, NodeModel } from '@parley/flow-engine/define/model';
import { operators } from '@parley/flow-engine/define/operators';
import { runPieces, type Pieces } from '@parley/flow-engine/define/pieces';
import {
  bookkeepingName,
  compileWriter,
  parsePath,
  pseudoVariables,
  transcriptName,
} from '@parley/flow-engine/read/paths';
import { pointer } from './finding.ts';
import { isLeft } from './node-kinds.ts';
import type { PathReader } from './variable-paths.ts';

/**
 * When a node reads: on arrival; after the wait of a collect node, before its answer is captured;
 * on leaving, by an edge; or outside the walk (the persona, webhook payloads), where the earlier
 * path is unknown.
 */
export type ReadingMoment = 'arriving' | 'asking_again' | 'leaving' | 'outside';

export interface VariableRead {
  /** Steps of the path, joined by dots. */
  readonly path: string;
  readonly root: string;
  readonly node: NodeModel | null;
  /** The edge that reads it. */
  readonly edge: EdgeModel | null;
  /** The comparison of the edge that reads it. */
  readonly condition: Condition | null;
  /** JSON pointer of the text or member. */
  readonly at: string;
  readonly moment: ReadingMoment;
  readonly by: 'text' | 'comparison' | 'context';
  /** The reader handles a missing value: a default, or a test whether the variable exists. */
  readonly unsetIsFine: boolean;
  /** There is a default, so the caller need not bring the variable. */
  readonly hasDefault: boolean;
}

export interface VariableWrite {
  readonly path: string;
  readonly root: string;
  readonly node: NodeModel;
  /** `also`: an answer to another question may fill it. */
  readonly by: 'collect' | 'also' | 'extraction' | 'tool' | 'autonomous' | 'set';
}

export interface TemplateFault {
  readonly node: NodeModel | null;
  readonly edge: EdgeModel | null;
  readonly at: string;
  readonly message: string;
}

export interface VariableUses {
  readonly reads: readonly VariableRead[];
  readonly writes: readonly VariableWrite[];
  readonly faults: readonly TemplateFault[];
  /** A webhook without a payload sends all variables. */
  readonly bagIsSent: boolean;
}

export function readVariables(flow: FlowModel, readPath: PathReader): VariableUses {
  return runPieces(readVariablesInPieces(flow, readPath));
}

/** The same in pieces, one per node or edge. */
export function* readVariablesInPieces(flow: FlowModel, readPath: PathReader): Pieces<VariableUses> {
  const reads: VariableRead[] = [];
  const faults: TemplateFault[] = [];
  const reader = makeReader(reads, faults, readPath);
  for (const node of flow.nodes) {
    readNode(node, reader);
    yield;
  }
  for (const edge of flow.edges) {
    readEdge(edge, flow.nodesById.get(edge.source) ?? null, reader);
    yield;
  }
  const writes: VariableWrite[] = [];
  for (const node of flow.nodes) {
    writes.push(...listWrites(node, readPath));
    yield;
  }
  const webhooks = flow.nodes.filter((node) => node.type === 'webhook');
  return {
    reads,
    writes,
    faults,
    bagIsSent: webhooks.some(({ raw }) => raw['payload'] == null),
  };
}

type Place = Pick<VariableRead, 'node' | 'edge' | 'condition' | 'moment'>;
type Reading = Pick<VariableRead, 'by' | 'unsetIsFine' | 'hasDefault'>;

const plainText: Reading = { by: 'text', unsetIsFine: false, hasDefault: false };
const defaultedText: Reading = { by: 'text', unsetIsFine: true, hasDefault: true };
const context: Reading = { by: 'context', unsetIsFine: true, hasDefault: false };
const comparison: Reading = { by: 'comparison', unsetIsFine: false, hasDefault: false };
const presenceTest: Reading = { by: 'comparison', unsetIsFine: true, hasDefault: false };

interface Reader {
  /** A value whose texts are templates, with all objects and lists in it. */
  value(place: Place, at: string, value: unknown): void;
  /** The path of a variable. */
  path(place: Place, at: string, path: string, how: Reading): void;
}

function makeReader(reads: VariableRead[], faults: TemplateFault[], readPath: PathReader): Reader {
  const reader: Reader = {
    path({ node, edge, condition, moment }, at, text, { by, unsetIsFine, hasDefault }) {
      const read = readPath(text);
      if (read === null || engineNames.has(read.root)) return;
      const { path, root } = read;
      reads.push({ path, root, node, edge, condition, at, moment, by, unsetIsFine, hasDefault });
    },
    value(place, at, value) {
      readTexts(value, at, 0, (text, where) => {
        const { parts, problems } = parseTemplate(text);
        for (const { at: offset, message } of problems)
          faults.push({ ...place, at: where, message: `${message} (at character ${offset + 1})` });
        for (const part of parts) {
          if (typeof part === 'string') continue;
          const defaults = part.filters.filter(({ name }) => name === 'default');
          reader.path(place, where, part.path, defaults.length === 0 ? plainText : defaultedText);
          // Without such a variable the text is its name: the caller need not bring it.
          for (const { argument, quoted } of defaults)
            if (!quoted) reader.path(place, where, argument ?? '', defaultedText);
        }
      });
    },
  };
  return reader;
}

/** Names that the engine writes or reads itself: no node has to set them. */
const engineNames: ReadonlySet<string> = new Set([
  ...Object.keys(pseudoVariables),
  bookkeepingName,
  transcriptName,
  'timezone',
]);

export const isEngineName = (path: string): boolean => engineNames.has(parsePath(path)?.[0] ?? '');

/** Checked before the place of a value is recorded: most texts hold no template. */
const mayBeRendered = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('{{') : typeof value === 'object' && value !== null;

/** The texts of a value that compileValue would render. */
function readTexts(
  value: unknown,
  at: string,
  depth: number,
  read: (text: string, at: string) => void,
): void {
  if (typeof value === 'string') {
    if (value.includes('{{')) read(value, at);
    return;
  }
  if (typeof value !== 'object' || value === null || depth === limits.depthMax) return;
  for (const [name, member] of Object.entries(value)) readTexts(member, at + pointer(name), depth + 1, read);
}

function readNode(node: NodeModel, reader: Reader): void {
  const { raw, index } = node;
  const at = { node, edge: null, condition: null };
  for (const { index: place, op, operand } of listAssignments(node))
    if (mayBeRendered(operand))
      reader.value({ ...at, moment: 'leaving' }, `/nodes/${index}/set/${place}/${op}`, operand);
  const arriving: Place = { ...at, moment: 'arriving' };
  const read = (member: string, place = arriving) => {
    if (mayBeRendered(raw[member])) reader.value(place, `/nodes/${index}/${member}`, raw[member]);
  };
  const ending = raw.message != null && raw.message.trim() !== '' ? 'message' : 'text';
  switch (node.type) {
    case 'message':
      read('variants');
      return read('text');
    case 'collect':
      read('variants');
      read('prompt');
      read('reprompts', { ...arriving, moment: 'asking_again' });
      return read('reprompt', { ...arriving, moment: 'asking_again' });
    case 'tool':
      return read('args');
    case 'autonomous': {
      read('goal');
      read('prompt');
      raw.context_vars?.forEach((name, place) =>
        reader.path(arriving, `/nodes/${index}/context_vars/${place}`, name, context),
      );
      return;
    }
    case 'handoff':
      read('reason');
      return read(ending);
    case 'end':
      return read(ending);
    case 'global':
      return read('prompt', { ...arriving, moment: 'outside' });
    case 'webhook':
      for (const member of ['url', 'headers', 'payload']) read(member, { ...arriving, moment: 'outside' });
      return;
    default:
      return;
  }
}

function readEdge(edge: EdgeModel, node: NodeModel | null, reader: Reader): void {
  if (edge.kind !== 'deterministic') return;
  for (const condition of listComparisons(edge)) {
    const { at, variable, op, value } = condition;
    const place: Place = { node, edge, condition, moment: 'leaving' };
    const how = op !== null && presenceOperators.has(op) ? presenceTest : comparison;
    const where = (member: string) => pointer('edges', edge.index, ...at, member);
    if (variable !== null) reader.path(place, where('variable'), variable, how);
    if (op !== null && operators[op].takes === 'none') continue;
    if (mayBeRendered(value)) reader.value(place, where('value'), value);
  }
}

/** The `set` entries of a node. */
export const listAssignments = (node: NodeModel): readonly Assignment[] =>
  isLeft(node) ? readAssignments(node.raw).assignments : [];

const presenceOperators: ReadonlySet<string> = new Set(['exists', 'not_exists', 'empty', 'not_empty']);

/** What a question or an agent that talks extracts. */
const readExtraction = ({ raw, waitsFor }: NodeModel) =>
  waitsFor === 'user_input' || waitsFor === 'talk'
    ? (compileExtraction(raw.extraction)?.variables ?? [])
    : [];

function listWrites(node: NodeModel, readPath: PathReader): VariableWrite[] {
  const { raw, type, outputVar } = node;
  const write = (by: VariableWrite['by'], text: string | null | undefined): VariableWrite[] => {
    const written = text == null || compileWriter(text) === null ? null : readPath(text);
    return written === null ? [] : [{ path: written.path, root: written.root, node, by }];
  };
  const set = listAssignments(node).flatMap(({ variable, op }) =>
    op === 'clear' || op === 'remove' ? [] : write('set', variable),
  );
  const extracted = readExtraction(node).flatMap(({ name }) => write('extraction', name));
  if (type === 'tool' || type === 'autonomous') return [...write(type, outputVar), ...extracted, ...set];
  if (type !== 'collect') return set;
  return [
    ...write('collect', raw.variable),
    ...readAnswerRules(raw, node.cast).rules.also.flatMap((name) => write('also', name)),
    ...extracted,
    ...set,
  ];
}
