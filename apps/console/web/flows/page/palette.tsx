// The node types, to drag onto the canvas or to add with a click.
import { Toolbar } from '@base-ui/react/toolbar';
import { add } from '../canvas/actions.ts';
import { DRAGGED_TYPE } from '../canvas/flow-canvas.tsx';
import { TypeIcon } from '../canvas/type-icon.tsx';
import { useFlow } from '../document/flow-store.ts';
import { plainWords } from '../words.tsx';
import { inSentence, typeRows, typeSpec } from '../tables.ts';

export function Palette() {
  return (
    <Toolbar.Root
      aria-label="Add a node"
      orientation="vertical"
      className="group absolute top-3 left-3 z-10 flex max-h-[calc(100%-1.5rem)] flex-wrap overflow-y-auto rounded-lg border max-lg:right-3 lg:flex-col lg:flex-nowrap border-line bg-surface p-1 shadow-sm"
    >
      {typeRows.map(({ type, spec }, at) => (
        <Toolbar.Button
          key={type}
          draggable
          aria-label={`Add ${inSentence(spec.label)}`}
          title={plainWords(spec.meaning)}
          className={`flex h-7 items-center gap-2 rounded px-1.5 text-xs text-ink-2 hover:bg-surface-3 hover:text-ink ${
            spec.declarative && !typeRows[at - 1]?.spec.declarative
              ? 'border-line lg:mt-1 lg:border-t lg:pt-1'
              : ''
          }`}
          onDragStart={(event) => event.dataTransfer.setData(DRAGGED_TYPE, type)}
          onClick={() => add(type, leadingNode(spec.declarative), null)}
        >
          <TypeIcon type={type} />
          <span className="hidden pr-1 lg:group-focus-within:inline lg:group-hover:inline">{spec.label}</span>
        </Toolbar.Button>
      ))}
    </Toolbar.Root>
  );
}

/** The selected node, when an edge can connect it to the new one. */
function leadingNode(isDeclarative: boolean): string | null {
  const { selection, doc } = useFlow.getState();
  const chosen = doc.flow.nodes.find(({ id }) => id === selection.nodes[0]);
  if (isDeclarative || selection.nodes.length !== 1 || chosen === undefined) return null;
  return typeSpec(chosen.type ?? null)?.terminal === false ? chosen.id : null;
}
