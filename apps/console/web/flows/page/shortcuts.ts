// Keyboard shortcuts of the page. Those of a node are in canvas/flow-canvas.tsx.
import { remove, selectAll, tidy } from '../canvas/actions.ts';
import { showAll, zoomBy } from '../canvas/view.ts';
import { duplicate, isTyping } from '../document/clipboard.ts';
import { connectFromNode, redo, select, showPath, undo, useFlow } from '../document/flow-store.ts';
import { openUp, useDesk } from '../page-state.ts';
import type { Panel } from '../page-search.ts';

export interface Shortcut {
  readonly keys: string;
  readonly does: string;
}

export const shortcuts: readonly { readonly group: string; readonly rows: readonly Shortcut[] }[] = [
  {
    group: 'Node',
    rows: [
      { keys: '← ↑ ↓ →', does: 'Go to the next node' },
      { keys: 'Shift ← ↑ ↓ →', does: 'Move the node' },
      { keys: 'Enter', does: 'Edit the node' },
      { keys: 'N', does: 'Add a node after this one' },
      { keys: 'C, then Enter', does: 'Connect to another node' },
      { keys: 'F', does: 'Expand or collapse the called flow' },
      { keys: 'Delete', does: 'Remove the node' },
    ],
  },
  {
    group: 'Canvas',
    rows: [
      { keys: 'N', does: 'Add a node' },
      { keys: '/', does: 'Find a node' },
      { keys: 'T', does: 'Arrange all nodes' },
      { keys: '0, +, −', does: 'Show all, zoom in, zoom out' },
      { keys: 'Ctrl A', does: 'Select all' },
      { keys: 'Ctrl X, C, V, D', does: 'Cut, copy, paste, duplicate' },
      { keys: 'Ctrl Z, Ctrl Shift Z', does: 'Undo, redo' },
      { keys: 'Escape', does: 'Clear selection' },
    ],
  },
  {
    group: 'Everywhere',
    rows: [
      { keys: 'Ctrl S', does: 'Save a version' },
      { keys: '1 – 6', does: 'Inspector, JSON, problems, try it, tests, versions' },
      { keys: '?', does: 'Keyboard shortcuts' },
    ],
  },
];

interface Does {
  readonly showPanel: (panel: Panel) => void;
  readonly panels: readonly Panel[];
}

/** Returns a function that stops listening. */
export function listenToKeys({ showPanel, panels }: Does): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || useDesk.getState().open !== null) return;
    if (document.querySelector('[role=dialog], [role=alertdialog], dialog[open]') !== null) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const does = isCommand ? commandOf(event) : isTyping(event.target) || event.altKey ? null : plain(event);
    if (does === null) return;
    event.preventDefault();
    does();
  };

  function plain({ key }: KeyboardEvent): (() => void) | null {
    const panel = panels[Number(key) - 1];
    if (panel !== undefined) return () => showPanel(panel);
    return plainKeys[key] ?? null;
  }

  document.addEventListener('keydown', onKeyDown);
  return () => document.removeEventListener('keydown', onKeyDown);
}

const plainKeys: Readonly<Record<string, () => void>> = {
  n: () => openUp({ kind: 'add', from: null, port: null, at: null }),
  '/': () => openUp({ kind: 'find' }),
  t: () => void tidy(),
  '0': showAll,
  '+': () => zoomBy('in'),
  '-': () => zoomBy('out'),
  Delete: remove,
  Backspace: remove,
  '?': () => openUp({ kind: 'shortcuts' }),
  Escape: () => {
    if (useFlow.getState().connectFrom !== null) connectFromNode(null);
    else if (isPathShown()) showPath([]);
    else select([]);
  },
};

function isPathShown(): boolean {
  const { shownPath, shownEdges } = useFlow.getState();
  return shownPath.length + shownEdges.length > 0;
}

function commandOf({ key, shiftKey, target }: KeyboardEvent): (() => void) | null {
  const letter = key.toLowerCase();
  if (letter === 's') return () => openUp({ kind: 'save' });
  if (target instanceof HTMLElement && target.closest('.json-editor, [data-own-history]') !== null)
    return null;
  // Undo in an inspector field undoes the document; the JSON editor and the chat have their own
  // history.
  if (letter === 'z') return shiftKey ? redo : undo;
  if (letter === 'y') return redo;
  if (isTyping(target)) return null;
  if (letter === 'd') return duplicate;
  return letter === 'a' ? selectAll : null;
}
