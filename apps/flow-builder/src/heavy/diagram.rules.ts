// A picture of a flow as text: Mermaid for documents and pull requests, DOT for Graphviz. Pure.
import type { Condition, EdgeModel, FlowModel, NodeModel } from '@parley/flow-engine';

/** Characters of a label; the rest is in the definition. */
const LABEL_CHARACTERS_MAX = 60;

/** Mermaid's brackets and Graphviz's shapes, by what a node does in a turn. */
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

export function mermaidOf(flow: FlowModel): string {
  const names = shortNames(flow);
  const lines = drawnByCall(flow, {
    node: (node) => {
      const [open, close] = shapeOf(node).mermaid;
      return `${names.get(node.id)}${open}"${mermaidText(labelOf(node))}"${close}`;
    },
    open: (id) => `subgraph ${names.get(id)}c["${mermaidText(id)}"]`,
    close: 'end',
  });
  const arrows = drawnEdges(flow).map((edge) => {
    const label = conditionOf(edge);
    const arrow = edge.kind === 'default' ? '-.->' : '-->';
    return `  ${names.get(edge.source)} ${arrow}${label === '' ? '' : `|"${mermaidText(label)}"|`} ${names.get(edge.target)}`;
  });
  return ['flowchart TD', ...lines, ...arrows, ''].join('\n');
}

export function dotOf(flow: FlowModel): string {
  const names = shortNames(flow);
  const lines = drawnByCall(flow, {
    node: (node) => {
      const style = node.id === flow.startId ? ', penwidth=2' : '';
      return `${names.get(node.id)} [shape=${shapeOf(node).dot}, label=${dotText(labelOf(node))}${style}];`;
    },
    open: (id) => `subgraph cluster_${names.get(id)} { label=${dotText(id)};`,
    close: '}',
  });
  const arrows = drawnEdges(flow).map((edge) => {
    const style = edge.kind === 'default' ? ', style=dashed' : '';
    return `  ${names.get(edge.source)} -> ${names.get(edge.target)} [label=${dotText(conditionOf(edge))}${style}];`;
  });
  return ['digraph flow {', '  node [fontname="sans-serif"];', ...lines, ...arrows, '}', ''].join('\n');
}

interface Drawing {
  readonly node: (node: NodeModel) => string;
  readonly open: (id: string) => string;
  readonly close: string;
}

/** A line for every node; a call is a box around its node and those of the called flow (docs/flow-language.md#calls). */
function drawnByCall(flow: FlowModel, { node: drawn, open, close }: Drawing): string[] {
  // `caller/` is where a call returns: it tells which nodes call.
  const callers = new Set(
    [...flow.nodesById.keys()].filter((id) => id.endsWith('/')).map((id) => id.slice(0, -1)),
  );
  const boxOf = (id: string) => (callers.has(id) ? id : id.slice(0, Math.max(0, id.lastIndexOf('/'))));
  const outside = (box: string) => box.slice(0, Math.max(0, box.lastIndexOf('/')));
  const lines = new Map<string, string[]>([['', []]]);
  const linesOf = (box: string): string[] => {
    const known = lines.get(box);
    if (known !== undefined) return known;
    const made: string[] = [];
    lines.set(box, made);
    linesOf(outside(box)).push(box);
    return made;
  };
  for (const node of flow.nodes) {
    const box = callers.size === 0 ? '' : boxOf(node.id);
    linesOf(box).push(drawn(node));
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

/** Ids may hold characters that neither language takes; n0, n1, … may not. Of nodes that share an id, the first counts. */
function shortNames(flow: FlowModel): Map<string, string> {
  return new Map([...flow.nodesById.keys()].map((id, index) => [id, `n${index}`]));
}

/** Edges between nodes that exist: a dangling one has nowhere to be drawn to. */
function drawnEdges(flow: FlowModel): EdgeModel[] {
  return flow.edges.filter((edge) => flow.nodesById.has(edge.source) && flow.nodesById.has(edge.target));
}

function shapeOf(node: NodeModel) {
  return shapes[node.type ?? ''] ?? configuration;
}

function labelOf({ id, raw }: NodeModel): string {
  const says = [raw.text, raw.prompt, raw.message, raw.goal, raw.tool, raw.target].find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
  return says === undefined ? id : `${id}: ${cut(says)}`;
}

function conditionOf({ kind, condition, group, nl, label }: EdgeModel): string {
  if (label !== null) return cut(label);
  if (kind === 'nl') return cut(nl ?? '');
  if (kind === 'default') return '';
  if (group !== null)
    return cut(group.members.map(comparisonOf).join(group.joint === 'any' ? ' or ' : ' and '));
  return condition === null ? '' : cut(comparisonOf(condition));
}

function comparisonOf({ variable, op, value, hasValue }: Condition): string {
  return `${variable ?? '?'} ${op ?? '?'}${hasValue ? ` ${JSON.stringify(value)}` : ''}`;
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LABEL_CHARACTERS_MAX ? line : `${line.slice(0, LABEL_CHARACTERS_MAX - 1)}…`;
}

/** Mermaid reads `#code;` inside quotes; everything that could end the label or begin markup is written so. */
function mermaidText(text: string): string {
  return text.replaceAll(/["#<>&`\\]/g, (character) => `#${character.charCodeAt(0)};`);
}

function dotText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
