// A modal dialog, and the confirmation before a destructive action.
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useRef, type ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';
import { firstField } from './focus.ts';
import { Problem } from './page.tsx';

const BACKDROP = 'fixed inset-0 z-40 bg-black/40';
const POPUP =
  'fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-xl border border-line bg-surface text-ink shadow-xl outline-none';

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ title, open, onClose, wide = false, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          ref={popup}
          initialFocus={() => firstField(popup.current)}
          className={`${POPUP} ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <div className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
            <Base.Title className="flex-1 font-semibold">{title}</Base.Title>
            <Base.Close render={<IconButton label="Close" icon="close" />} />
          </div>
          <div className="overflow-y-auto p-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** States the consequences and what cannot be undone. */
  readonly children: ReactNode;
  /** Label of the confirming button. */
  readonly verb: string;
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
}

export function Confirm({ title, open, onClose, children, verb, mutation, onConfirm }: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={`${POPUP} max-w-md gap-3 p-4`}>
          <AlertDialog.Title className="font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description
            render={<div className="flex flex-col gap-2 text-ink-2">{children}</div>}
          />
          {mutation.error && <Problem error={mutation.error} />}
          <div className="flex justify-end gap-2">
            <AlertDialog.Close render={<Button>Cancel</Button>} />
            <Button kind="danger" busy={mutation.isPending} onClick={onConfirm}>
              {verb}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
