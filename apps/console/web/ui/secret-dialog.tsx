// Shows a new secret once, with a copy button.
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly noun: string;
  readonly secret: string;
  readonly onDone: () => void;
}

export function SecretDialog({ title, noun, secret, onDone }: SecretDialogProps) {
  return (
    <Dialog title={title} open onClose={onDone}>
      <div className="flex flex-col gap-3">
        <p>Copy {noun} now: it is not shown again. If you lose it, create a new one.</p>
        <div className="flex items-center gap-1 rounded-md border border-line bg-surface-2 p-2">
          <code className="min-w-0 flex-1 py-1 font-mono text-xs break-all" data-testid="secret">
            {secret}
          </code>
          <CopyButton text={secret} label={noun} />
        </div>
        <div className="flex justify-end">
          <Button kind="primary" onClick={onDone}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
