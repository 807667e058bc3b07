// Dialogs of the frame. Their code is loaded when the first of them opens: it is a tenth of the
// first page.
import { lazy, Suspense, useState } from 'react';
import type { ShellDialogProps } from './shell-dialog.ts';

export const loadSearch = () => import('./search-dialog.tsx');
const DIALOGS = { search: lazy(loadSearch), menu: lazy(() => import('./menu-dialog.tsx')) };

export function LateDialog({ which, ...props }: ShellDialogProps & { readonly which: keyof typeof DIALOGS }) {
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open && !wasOpen) setWasOpen(true);
  const Dialog = DIALOGS[which];
  return (
    wasOpen && (
      <Suspense>
        <Dialog {...props} />
      </Suspense>
    )
  );
}
