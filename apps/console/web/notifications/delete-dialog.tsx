// Confirms and performs a deletion, then returns to the list.
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAction } from '../ui/action.ts';
import { Confirm } from '../ui/dialog.tsx';

interface DeleteDialogProps {
  readonly name: string;
  /** Query keys to invalidate. */
  readonly keys: readonly string[];
  readonly remove: () => Promise<unknown>;
  /** Absent: stay on the page. */
  readonly leadsTo?:
    | '/notifications/templates'
    | '/notifications/workflows'
    | '/notifications/topics'
    | '/notifications/recipients';
  readonly onClose: () => void;
  /** The consequences. */
  readonly children: ReactNode;
}

export function DeleteDialog({ name, keys, remove, leadsTo, onClose, children }: DeleteDialogProps) {
  const navigate = useNavigate();
  const sending = useAction(remove, {
    says: `${name} deleted`,
    reloads: keys,
    then: () => (leadsTo === undefined ? onClose() : navigate({ to: leadsTo })),
  });
  return (
    <Confirm
      title={`Delete ${name}?`}
      open
      onClose={onClose}
      verb="Delete"
      mutation={sending}
      onConfirm={() => sending.mutate()}
    >
      <p>{children}</p>
    </Confirm>
  );
}
