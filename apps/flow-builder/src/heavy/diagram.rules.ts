// Draws a flow as Mermaid or DOT. Pure.
import type { Condition, EdgeModel, FlowModel, NodeModel } from '@parley/flow-engine';

/** Longer labels are cut. */
const LABEL_CHARACTERS_MAX = 60;

/** Brackets of Mermaid and shapes of Graphviz, by type of node. */
const shapes: Readonly<Record<string, { mermaid: readonly [string, string]; dot: string }>> = {
  message: { mermaid: ['[', ']'], dot: 'box' },
  collect: { mermaid: ['[/', '/]'], dot: 'parallelogram' },
  branch: { mermaid: ['{', '}'], dot: 'diamond' },
  tool: { mermaid: ['[[', ']]'], dot: 'component' },
  autonomous: { mermaid: ['{{', '}}'], dot: 'hexagon' },
  handoff: { mermaid: ['([', '])'], dot: 'cds' },
  end: { mermaid: ['([', '])'], dot: 'oval' },
};
const configuration = { mermaid: ['>', ']'] as const, dot: 'note' };

export function toMermaid(flow: FlowModel): string {
  const names = assignNames(flow);
  const lines = drawNodes(flow, {
    node: (node) => {
      const [open, close] = getShape(node).mermaid;
      return `${names.get(node.id)}${open}"${quoteForMermaid(describeNode(node))}"${close}`;
    },
    open: (id) => `subgraph ${names.get(id)}c["${quoteForMermaid(id)}"]`,
    close: 'end',
  });
  const arrows = selectEdges(flow).map((edge) => {
    const label = describeEdge(edge);
    const arrow = edge.kind === 'default' ? '-.->' : '-->';
    return `  ${names.get(edge.source)} ${arrow}${label === '' ? '' : `|"${quoteForMermaid(label)}"|`} ${names.get(edge.target)}`;
  });
  return ['flowchart TD', ...lines, ...arrows, ''].join('\n');
}

export function toDot(flow: FlowModel): string {
  const names = assignNames(flow);
  const lines = drawNodes(flow, {
    node: (node) => {
      const style = node.id === flow.startId ? ', penwidth=2' : '';
      return `${names.get(node.id)} [shape=${getShape(node).dot}, label=${quoteForDot(describeNode(node))}${style}];`;
    },
    open: (id) => `subgraph cluster_${names.get(id)} { label=${quoteForDot(id)};`,
    close: '}',
  });
  const arrows = selectEdges(flow).map((edge) => {
    const style = edge.kind === 'default' ? ', style=dashed' : '';
    return `  ${names.get(edge.source)} -> ${names.get(edge.target)} [label=${quoteForDot(describeEdge(edge))}${style}];`;
  });
  return ['digraph flow {', '  node [fontname="sans-serif"];', ...lines, ...arrows, '}', ''].join('\n');
}

interface Drawing {
  readonly node: (node: NodeModel) => string;
  readonly open: (id: string) => string;
  readonly close: string;
}

/**
 * A line for each node. A call is a box around its node and the nodes of the called flow
 * (docs/flow-language.md#calls).
 */
function drawNodes(flow: FlowModel, { node: drawn, open, close }: Drawing): string[] {
  // A call returns to `caller/`, so such ids show which nodes call.
  const callers = new Set(
    [...flow.nodesById.keys()].filter((id) => id.endsWith('/')).map((id) => id.slice(0, -1)),
  );
  const findBox = (id: string) => (callers.has(id) ? id : id.slice(0, Math.max(0, id.lastIndexOf('/'))));
  const outside = (box: string) => box.slice(0, Math.max(0, box.lastIndexOf('/')));
  const lines = new Map<string, string[]>([['', []]]);
  const getLines = (box: string): string[] => {
    const known = lines.get(box);
    if (known !== undefined) return known;
    const made: string[] = [];
    lines.set(box, made);
    getLines(outside(box)).push(box);
    return made;
  };
  for (const node of flow.nodes) {
    const box = callers.size === 0 ? '' : findBox(node.id);
    getLines(box).push(drawn(node));
  }
  const written = (box: string, indent: string): string[] =>
    lines
      .get(box)!
      .flatMap((line) =>
        lines.has(line) && line !== ''
          ? [`${indent}${open(line)}`, ...written(line, `${indent}  `), `${indent}${close}`]
          : [`${indent}${line}`],
      );
  return written('', '  ');
}

/**
 * Ids may hold characters that Mermaid and DOT refuse, so nodes are named n0, n1, …. Of nodes with
 * the same id the first counts.
 */
function assignNames(flow: FlowModel): Map<string, string> {
  return new Map([...flow.nodesById.keys()].map((id, index) => [id, `n${index}`]));
}

/** Edges between existing nodes. Others have no place in the picture. */
function selectEdges(flow: FlowModel): EdgeModel[] {
  return flow.edges.filter((edge) => flow.nodesById.has(edge.source) && flow.nodesById.has(edge.target));
}

function getShape(node: NodeModel) {
  return shapes[node.type ?? ''] ?? configuration;
}

function describeNode({ id, raw }: NodeModel): string {
  const says = [raw.text, raw.prompt, raw.message, raw.goal, raw.tool, raw.target].find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
  return says === undefined ? id : `${id}: ${cut(says)}`;
}

function describeEdge({ kind, condition, group, nl, label }: EdgeModel): string {
  if (label !== null) return cut(label);
  if (kind === 'nl') return cut(nl ?? '');
  if (kind === 'default') return '';
  if (group !== null)
    return cut(group.members.map(describeCondition).join(group.joint === 'any' ? ' or ' : ' and '));
  return condition === null ? '' : cut(describeCondition(condition));
}

function describeCondition({ variable, op, value, hasValue }: Condition): string {
  return `${variable ?? '?'} ${op ?? '?'}${hasValue ? ` ${JSON.stringify(value)}` : ''}`;
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LABEL_CHARACTERS_MAX ? line : `${line.slice(0, LABEL_CHARACTERS_MAX - 1)}…`;
}

/**
 * Mermaid reads `#code;` in quotes. Characters that end a label or begin markup become such codes.
 */
function quoteForMermaid(text: string): string {
  return text.replaceAll(/["#<>&`\\]/g, (character) => `#${character.charCodeAt(0)};`);
}

function quoteForDot(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
