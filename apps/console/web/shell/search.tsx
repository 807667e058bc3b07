// The search button and Ctrl K. The dialog is loaded when it opens.
import { useEffect, useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LateDialog, loadSearch } from './late-dialog.tsx';

export function Search({ compact = false }: { compact?: boolean }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (compact) return; // the other instance handles the shortcut
    const onKey = (event: globalThis.KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpen(true);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [compact]);
  const button = {
    'aria-haspopup': 'dialog',
    'aria-expanded': open,
    onClick: () => setOpen(true),
    onPointerEnter: () => void loadSearch(),
  } as const;
  return (
    <>
      {compact ? (
        <IconButton label="Search" icon="search" {...button} />
      ) : (
        <button
          type="button"
          className="flex h-8 w-full items-center gap-2 rounded-md border border-line bg-surface px-2 text-ink-2 hover:border-line-strong"
          {...button}
        >
          <Icon name="search" /> Search
          <kbd className="ml-auto">Ctrl K</kbd>
        </button>
      )}
      <LateDialog which="search" open={open} onOpenChange={setOpen} />
    </>
  );
}
