// A form in a dialog, with its error and its submit button.
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Refused } from './field.tsx';
import { Problem } from './page.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Label of the submit button. */
  readonly verb: ReactNode;
  readonly kind?: 'primary' | 'danger';
  /** Label of the close button. */
  readonly cancel?: string;
  readonly wide?: boolean;
  readonly disabled?: boolean;
  /** Absent when submitting sends no request. */
  readonly mutation?: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, onClose, verb, kind = 'primary', cancel = 'Cancel', wide = false } = props;
  const { disabled = false, mutation, onSubmit, children } = props;
  return (
    <Dialog title={title} open onClose={onClose} wide={wide}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation(); // React bubbles events of a portal to the form around it
          onSubmit();
        }}
      >
        <Refused error={mutation?.error}>{children}</Refused>
        {mutation?.error && <Problem error={mutation.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{cancel}</Button>
          <Button kind={kind} type="submit" busy={mutation?.isPending ?? false} disabled={disabled}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
