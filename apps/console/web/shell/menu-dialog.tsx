// The menu on a phone.
import { Dialog } from '@base-ui/react/dialog';
import { IconButton } from '../ui/button.tsx';
import { Account } from './account.tsx';
import type { ShellDialogProps } from './shell-dialog.ts';
import { Menu } from './menu.tsx';

export default function MenuDialog({ open, onOpenChange }: ShellDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-r border-line bg-surface-2 text-ink outline-none">
          <div className="flex items-center justify-between py-1 pr-2 pl-4">
            <Dialog.Title className="font-semibold">Parley</Dialog.Title>
            <Dialog.Close render={<IconButton label="Close" icon="close" />} />
          </div>
          <Menu />
          <Account />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
