// The dialog of Ctrl K: pages of the console, flows, conversations and anything with an id.
import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useId, useState, type KeyboardEvent } from 'react';
import { Icon } from '../ui/icon.tsx';
import { findLocally, findPerson, searchQuery, type SearchResult } from './find.ts';
import { useMayOpen } from '../session/scopes.tsx';
import { sessionQuery } from '../session/session.ts';
import type { ShellDialogProps } from './shell-dialog.ts';

export default function SearchDialog({ open, onOpenChange }: ShellDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-surface text-ink shadow-xl outline-none">
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Finder onDone={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onDone }: { onDone: () => void }) {
  const id = useId();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const { data: session } = useQuery(sessionQuery);
  const mayOpen = useMayOpen();
  const [at, setAt] = useState(0);
  const remote = useQuery({
    ...searchQuery(useDeferredValue(words), session?.services ?? []),
    placeholderData: keepPreviousData,
  });
  const found = [
    ...findLocally(words, (place) => mayOpen(place) !== false),
    ...(words.trim() === '' ? [] : (remote.data ?? [])),
    ...findPerson(words),
  ];
  const go = (one: SearchResult | undefined) => {
    if (!one) return;
    onDone();
    void navigate({ href: one.to });
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((at + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === 'Enter') go(found[at]);
  };
  return (
    <>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-found`}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        aria-label="Search"
        placeholder="Search pages, agents, flows, conversations, numbers, ids"
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
        className="h-11 border-b border-line bg-transparent px-4 text-base outline-none"
      />
      <div id={`${id}-found`} role="listbox" aria-label="Results" className="overflow-y-auto p-1">
        {found.map((one, index) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the input's
          <div
            key={one.to}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => go(one)}
            className="flex h-9 items-center gap-2.5 rounded-md px-3 aria-selected:bg-surface-3"
          >
            <Icon name={one.icon} className="text-ink-2" />
            <span className="min-w-0 flex-1 truncate">{one.label}</span>
            <span className="shrink-0 text-xs text-ink-2">{one.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && !remote.isFetching && (
        <p className="px-4 pb-4 text-ink-2">No results. Try part of a name, a number or an id.</p>
      )}
    </>
  );
}
