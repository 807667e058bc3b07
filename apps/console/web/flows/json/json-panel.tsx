// The definition as JSON, in sync with the canvas.
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { Loading } from '../../ui/page.tsx';
import { isDrawable, toDoc } from '../document/doc.ts';
import { change, useFlow } from '../document/flow-store.ts';

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }));

export function JsonPanel() {
  const flow = useFlow((state) => state.doc.flow);
  const findings = useFlow((state) => state.checked?.findings ?? nothing);
  const { nodes, edge } = useFlow((state) => state.selection);
  /** The typed text stays until the flow changes elsewhere. */
  const [typed, setTyped] = useState<{ readonly text: string; readonly flow: unknown } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isOwn = typed !== null && typed.flow === flow;
  const text = useMemo(() => (isOwn ? typed.text : JSON.stringify(flow, null, 2)), [isOwn, typed, flow]);
  const shown =
    edge !== null
      ? `/edges/${edge}`
      : nodes.length === 1
        ? `/nodes/${flow.nodes.findIndex(({ id }) => id === nodes[0])}`
        : null;

  const onChange = useCallback((now: string) => {
    const definition = definitionIn(now);
    if (typeof definition === 'string') {
      setProblem(definition);
      setTyped({ text: now, flow: useFlow.getState().doc.flow });
      return;
    }
    setProblem(null);
    const { flow: read, places } = toDoc(definition);
    setTyped({ text: now, flow: read });
    change((doc) => ({ flow: read, places: { ...places, ...doc.places } }), 'Changed the JSON', 'json');
  }, []);

  return (
    <div className="flex h-full flex-col">
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Loading subject="the editor" />}>
          <JsonEditor
            label="Definition as JSON"
            value={text}
            findings={findings}
            shown={shown}
            flowNow={flowNow}
            onChange={onChange}
          />
        </Suspense>
      </div>
      {problem !== null && (
        <p role="status" className="border-t border-line px-3 py-1.5 text-xs text-bad">
          {problem} The canvas shows the last valid definition.
        </p>
      )}
    </div>
  );
}

const nothing: readonly [] = [];
const flowNow = () => useFlow.getState().doc.flow;

/** A definition that can be drawn, or what is wrong with it. */
function definitionIn(text: string) {
  let definition: unknown;
  try {
    definition = JSON.parse(text);
  } catch {
    return 'This is not valid JSON.';
  }
  return isDrawable(definition)
    ? definition
    : 'A definition needs nodes with ids, and edges with a source and a target.';
}
