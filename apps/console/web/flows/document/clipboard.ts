// Cut, copy and paste of nodes as JSON, through the browser's clipboard events. They need no
// permission and work across tabs.
import * as z from 'zod';
import { clipOf, removeAll, withPasted, type Clip } from './edits.ts';
import { announce, change, select, useFlow } from './flow-store.ts';

const KIND = 'parley.nodes';
const NODES_MAX = 1_000;
const EDGES_MAX = 4_000;
const CHARACTERS_MAX = 2 * 1024 * 1024;

const clip = z.object({
  kind: z.literal(KIND),
  nodes: z
    .array(z.looseObject({ id: z.string() }))
    .min(1)
    .max(NODES_MAX),
  edges: z.array(z.looseObject({ source: z.string(), target: z.string() })).max(EDGES_MAX),
  places: z.record(z.string(), z.object({ x: z.number(), y: z.number() })).default({}),
});

export const writeClip = (copied: Clip): string => JSON.stringify({ kind: KIND, ...copied }, null, 2);

/** Null when the text is no copied nodes. */
export function readClip(text: string): Clip | null {
  if (text.length > CHARACTERS_MAX || !text.includes(KIND)) return null;
  try {
    const { nodes, edges, places } = clip.parse(JSON.parse(text));
    return { nodes: nodes, edges: edges, places };
  } catch {
    return null; // other JSON
  }
}

/** The JSON editor is in a shadow root, so its host is the event target. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, .json-editor'));

const countOf = (count: number) => `${count} ${count === 1 ? 'node' : 'nodes'}`;

/** Returns a function that stops listening. */
export function listenToClipboard(): () => void {
  const onCopy = (event: ClipboardEvent) => {
    const { selection, doc } = useFlow.getState();
    const isText = isTyping(event.target) || document.getSelection()?.isCollapsed === false;
    if (isText || selection.nodes.length === 0) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', writeClip(clipOf(doc, selection.nodes)));
    if (event.type === 'copy') announce(`Copied ${countOf(selection.nodes.length)}`);
    else change((before) => removeAll(before, selection.nodes), `Cut ${countOf(selection.nodes.length)}`);
  };
  const onPaste = (event: ClipboardEvent) => {
    if (isTyping(event.target)) return;
    const read = readClip(event.clipboardData?.getData('text/plain') ?? '');
    if (read === null) return;
    event.preventDefault();
    paste(read, 'Pasted');
  };
  document.addEventListener('copy', onCopy);
  document.addEventListener('cut', onCopy);
  document.addEventListener('paste', onPaste);
  return () => {
    document.removeEventListener('copy', onCopy);
    document.removeEventListener('cut', onCopy);
    document.removeEventListener('paste', onPaste);
  };
}

export function duplicate(): void {
  const { doc, selection } = useFlow.getState();
  if (selection.nodes.length > 0) paste(clipOf(doc, selection.nodes), 'Duplicated');
}

function paste(read: Clip, verb: string): void {
  const pasted = withPasted(useFlow.getState().doc, read);
  change(() => pasted.doc, `${verb} ${countOf(read.nodes.length)}`);
  select(pasted.ids);
}
