// The outgoing edges of a node, in the order in which the engine tries them. Drag them, or press
// Alt and an arrow key.
import { useState, type KeyboardEvent } from 'react';
import { IconButton, buttonClass } from '../../ui/button.tsx';
import { edgesFrom, edgesOf } from '../document/doc.ts';
import { moveEdge, removeAll } from '../document/edits.ts';
import { change, select, useFlow } from '../document/flow-store.ts';
import { openUp } from '../page-state.ts';
import { nameOf } from '../tables.ts';
import { Words, plainWords } from '../words.tsx';

export function EdgeList({ source }: { readonly source: string }) {
  const flow = useFlow((state) => state.doc.flow);
  const sketches = useFlow((state) => state.checked?.edges);
  const [held, setHeld] = useState<number | null>(null);
  const indexes = edgesFrom(flow, source);
  const nodes = new Map(flow.nodes.map((node) => [node.id, node] as const));

  function move(index: number, place: number) {
    const before = useFlow.getState().doc;
    const moved = moveEdge(before, index, place);
    if (moved.doc === before) return;
    change(
      () => moved.doc,
      `Moved to position ${edgesFrom(moved.doc.flow, source).indexOf(moved.index) + 1}`,
    );
    requestAnimationFrame(() => document.getElementById(`edge-${moved.index}`)?.focus());
  }

  function onKeyDown(event: KeyboardEvent, index: number, place: number) {
    if (event.altKey && event.key === 'ArrowUp') move(index, place - 1);
    else if (event.altKey && event.key === 'ArrowDown') move(index, place + 1);
    else if (event.key === 'Delete') cut(index);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <section
      aria-label={`Outgoing edges of ${source}`}
      className="flex flex-col gap-1 border-t border-line pt-3"
    >
      <div className="flex items-center">
        <h2 className="text-xs font-medium text-ink-2">Outgoing edges, in order</h2>
        <button
          type="button"
          className={buttonClass('quiet', 'ml-auto h-6! px-2! text-xs')}
          onClick={() => openUp({ kind: 'connect', from: source })}
        >
          Connect to …
        </button>
      </div>
      <ol className="flex flex-col">
        {indexes.map((index, place) => {
          const edge = edgesOf(flow)[index]!;
          const sketch = sketches?.[index];
          const name = nameOf(nodes.get(edge.target), edge.target);
          return (
            // The button inside handles the keyboard.
            // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
            <li
              key={index}
              draggable
              onDragStart={() => setHeld(index)}
              onDragEnd={() => setHeld(null)}
              onDragOver={(event) => held !== null && event.preventDefault()}
              onDrop={() => held !== null && move(held, place)}
              className="group flex items-center gap-1 rounded hover:bg-surface-2"
            >
              <button
                type="button"
                id={`edge-${index}`}
                className="flex min-w-0 flex-1 items-center gap-2 px-1 py-1 text-left"
                aria-label={`Edge ${place + 1} to ${name}, ${plainWords(sketch?.says || 'otherwise')}. Press Alt and an arrow key to move it.`}
                onClick={() => select([], index)}
                onKeyDown={(event) => onKeyDown(event, index, place)}
              >
                <span className="w-4 text-right text-xs text-ink-2 tabular-nums">{place + 1}</span>
                <span className={`min-w-0 flex-1 truncate ${sketch?.says ? '' : 'text-ink-2'}`}>
                  <Words as="em" text={sketch === undefined ? '…' : sketch.says || 'otherwise'} />
                </span>
                <span className="max-w-[45%] truncate text-xs text-ink-2">→ {name}</span>
              </button>
              <IconButton
                label={`Remove edge ${place + 1}`}
                icon="close"
                className="h-6! w-6! opacity-0 group-hover:opacity-100 focus:opacity-100"
                onClick={() => cut(index)}
              />
            </li>
          );
        })}
      </ol>
      {indexes.length === 0 && (
        <p className="text-xs text-ink-2">No outgoing edges. Press C on the canvas to draw one.</p>
      )}
    </section>
  );
}

const cut = (index: number) => change((doc) => removeAll(doc, [], [index]), 'Removed the edge');
