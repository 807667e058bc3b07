// A searchable list in a dialog, for adding, finding and connecting nodes.
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly icon?: ReactNode;
}

interface PickerProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly onPick: (key: string) => void;
  readonly onClose: () => void;
}

const SHOWN_MAX = 50;

export function matching(choices: readonly Choice[], typed: string): Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = choices.filter(({ key, label, detail }) => {
    const text = `${key} ${label} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const first = words[0] ?? '';
  return found
    .sort(
      (a, b) =>
        Number(b.label.toLowerCase().startsWith(first)) - Number(a.label.toLowerCase().startsWith(first)),
    )
    .slice(0, SHOWN_MAX);
}

export function Picker({ title, choices, onPick, onClose }: PickerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const found = matching(choices, typed);
  const chosen = Math.min(at, found.length - 1);

  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') pick(found[chosen]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function pick(choice: Choice | undefined) {
    if (choice === undefined) return;
    dialog.current?.close();
    onPick(choice.key);
  }

  return (
    <dialog
      ref={dialog}
      aria-label={title}
      className="m-auto mt-[15vh] w-[28rem] max-w-[calc(100vw-2rem)] rounded-xl border border-line bg-surface p-0 text-ink shadow-xl backdrop:bg-black/25"
      onClose={onClose}
      onCancel={onClose}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={`${id}-${chosen}`}
        aria-label={title}
        placeholder={title}
        className="w-full border-b border-line bg-transparent px-3 py-2.5 outline-none"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={title} className="max-h-[45vh] overflow-y-auto p-1">
        {found.map((choice, index) => (
          // The input above handles the keyboard.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={choice.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 aria-selected:bg-accent-soft"
            onPointerMove={() => setAt(index)}
            onClick={() => pick(choice)}
          >
            <span className="text-ink-2">{choice.icon}</span>
            <span className="text-xs font-medium whitespace-nowrap">{choice.label}</span>
            <span className="min-w-0 truncate text-xs text-ink-2">{choice.detail}</span>
          </div>
        ))}
        {found.length === 0 && <p className="px-2 py-3 text-center text-ink-2">No matches.</p>}
      </div>
    </dialog>
  );
}
