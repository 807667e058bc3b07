// Confirms and performs a deletion, then returns to the list.
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Confirm } from '../ui/dialog.tsx';
import { showToast } from '../ui/notice.tsx';
import { useChange } from './use-change.ts';

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
  const sending = useChange(keys, remove, () => {
    showToast(`${name} deleted`);
    if (leadsTo === undefined) onClose();
    else void navigate({ to: leadsTo });
  });
  return (
    <Confirm
      title={`Delete ${name}?`}
      open
      onClose={onClose}
      verb="Delete"
      mutation={sending}
      onConfirm={() => sending.mutate(undefined)}
    >
      <p>{children}</p>
    </Confirm>
  );
}
