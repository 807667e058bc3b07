// The question before something of the notifications is deleted. What is gone leads back to where it was listed.
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Confirm } from '../ui/dialog.tsx';
import { notice } from '../ui/notice.tsx';
import { useChange } from './use-change.ts';

interface DeleteDialogProps {
  readonly name: string;
  /** The queries that are old afterwards. */
  readonly keys: readonly string[];
  readonly remove: () => Promise<unknown>;
  /** Absent: it was deleted in its list. */
  readonly leadsTo?: '/notifications/templates' | '/notifications/topics' | '/notifications/recipients';
  readonly onClose: () => void;
  /** What goes with it. */
  readonly children: ReactNode;
}

export function DeleteDialog({ name, keys, remove, leadsTo, onClose, children }: DeleteDialogProps) {
  const navigate = useNavigate();
  const sending = useChange(keys, remove, () => {
    notice(`${name} is deleted`);
    if (leadsTo === undefined) onClose();
    else void navigate({ to: leadsTo });
  });
  return (
    <Confirm
      title={`Delete ${name}?`}
      open
      onClose={onClose}
      verb="Delete"
      sending={sending}
      onConfirm={() => sending.mutate(undefined)}
    >
      <p>{children}</p>
    </Confirm>
  );
}
