// Replaces a secret: asks when the old one expires, then shows the new one once.
import { useState } from 'react';
import { Select } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { OnceShown } from './once-shown.tsx';

const GRACES: readonly (readonly [seconds: number, words: string])[] = [
  [0, 'Immediately'],
  [3_600, 'In an hour'],
  [86_400, 'In a day'],
  [604_800, 'In a week'],
];

interface RotateDialogProps {
  readonly title: string;
  /** As in "the old key". */
  readonly noun: string;
  /** What applies while both secrets work. */
  readonly words: string;
  readonly rotating: {
    readonly isPending: boolean;
    readonly error: Error | null;
    mutate(seconds: number): void;
  };
  /** The new secret, after rotation. */
  readonly made: string | undefined;
  readonly onClose: () => void;
}

export function RotateDialog({ title, noun, words, rotating, made, onClose }: RotateDialogProps) {
  const [grace, setGrace] = useState('86400');
  if (made !== undefined)
    return <OnceShown title={title} what={`the ${noun}`} secret={made} onDone={onClose} />;
  return (
    <FormDialog
      title={title}
      verb="Rotate"
      sending={rotating}
      onClose={onClose}
      onSubmit={() => rotating.mutate(Number(grace))}
    >
      <p className="text-ink-2">{words}</p>
      <Select label={`Old ${noun} expires`} value={grace} onChange={(event) => setGrace(event.target.value)}>
        {GRACES.map(([seconds, label]) => (
          <option key={seconds} value={seconds}>
            {label}
          </option>
        ))}
      </Select>
    </FormDialog>
  );
}
