// The searchable lists of the flow page.
import { add, join } from '../canvas/actions.ts';
import { TypeIcon } from '../canvas/type-icon.tsx';
import { focusNode, revealNode } from '../canvas/view.ts';
import { useFlow } from '../document/flow-store.ts';
import { nameOf, typeOf, typeRows } from '../tables.ts';
import { plainWords } from '../words.tsx';
import { close, useDesk } from '../page-state.ts';
import { Picker, type Choice } from './picker.tsx';

const types: readonly Choice[] = typeRows.map(({ type, spec }) => ({
  key: type,
  label: spec.label,
  detail: plainWords(spec.meaning),
  icon: <TypeIcon type={type} />,
}));

export function Pickers() {
  const open = useDesk((state) => state.open);
  const nodes = useFlow((state) => state.doc.flow.nodes);
  if (open === null) return null;
  const named = (id: string) =>
    nameOf(
      nodes.find((node) => node.id === id),
      id,
    );
  if (open.kind === 'add')
    return (
      <Picker
        title={open.from === null ? 'Add a node' : `Add a node after ${named(open.from)}`}
        choices={types}
        onClose={close}
        onPick={(type) => add(type, open.from, open.at, open.port)}
      />
    );
  if (open.kind !== 'find' && open.kind !== 'connect') return null;
  const choices = nodes.map((node): Choice => ({
    key: node.id,
    label: nameOf(node, node.id),
    detail: node.id,
    icon: <TypeIcon type={typeOf(node)} />,
  }));
  return open.kind === 'find' ? (
    <Picker
      title="Find a node"
      choices={choices}
      onClose={close}
      onPick={(id) => requestAnimationFrame(() => revealNode(id, { focus: true }))}
    />
  ) : (
    <Picker
      title={`Connect ${named(open.from)} to`}
      choices={choices}
      onClose={close}
      onPick={(id) => {
        join(open.from, id);
        requestAnimationFrame(() => focusNode(open.from));
      }}
    />
  );
}
