// Finds the range of a JSON pointer in a text.
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Null when the pointer does not exist. */
export function pointerRange(state: EditorState, pointer: string): Range | null {
  let node: SyntaxNode | null = syntaxTree(state).topNode.firstChild;
  for (const step of pointer.split('/').slice(1)) {
    if (node === null) return null;
    node = stepInto(state, node, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return node === null ? null : { from: node.from, to: node.to };
}

function stepInto(state: EditorState, node: SyntaxNode, name: string): SyntaxNode | null {
  if (node.name === 'Object') {
    const property = node.getChildren('Property').find((one) => {
      const key = one.getChild('PropertyName');
      return key !== null && nameIn(state.sliceDoc(key.from, key.to)) === name;
    });
    return property?.lastChild ?? null;
  }
  if (node.name !== 'Array') return null;
  const items: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (!/^[[\],⚠]$/.test(child.name)) items.push(child);
  return items[Number(name)] ?? null;
}

function nameIn(text: string): string | null {
  try {
    return JSON.parse(text) as string;
  } catch {
    return null; // incomplete
  }
}
