// The list of keyboard shortcuts.
import { Dialog } from '../../ui/dialog.tsx';
import { close, useDesk } from '../page-state.ts';
import { shortcuts } from './shortcuts.ts';

export function ShortcutsDialog() {
  const isOpen = useDesk((state) => state.open?.kind === 'shortcuts');
  return (
    <Dialog title="Keyboard shortcuts" open={isOpen} onClose={close}>
      <div className="flex flex-col gap-4">
        {shortcuts.map(({ group, rows }) => (
          <section key={group}>
            <h2 className="mb-1 text-xs font-medium text-ink-2">{group}</h2>
            <dl className="grid grid-cols-[11rem_1fr] gap-y-1">
              {rows.map(({ keys, does }) => (
                <div key={keys} className="contents">
                  <dt>
                    <kbd>{keys}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
