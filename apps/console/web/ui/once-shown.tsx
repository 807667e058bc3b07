// A secret that is shown this once: it can be copied, and the window says what it is worth.
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface OnceShownProps {
  readonly title: string;
  readonly what: string;
  readonly secret: string;
  readonly onDone: () => void;
}

export function OnceShown({ title, what, secret, onDone }: OnceShownProps) {
  return (
    <Dialog title={title} open onClose={onDone}>
      <div className="flex flex-col gap-3">
        <p>
          This is the only time that {what} is shown. Put it where it belongs now; who loses it makes another
          one.
        </p>
        <div className="flex items-center gap-1 rounded-md border border-line bg-surface-2 p-2">
          <code className="min-w-0 flex-1 py-1 font-mono text-xs break-all" data-testid="secret">
            {secret}
          </code>
          <CopyButton text={secret} what={what} />
        </div>
        <div className="flex justify-end">
          <Button kind="primary" onClick={onDone}>
            I have it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
