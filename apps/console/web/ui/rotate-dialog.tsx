// Replaces a secret: asks when the old one expires, then shows the new one once.
import { useState } from 'react';
import { Select } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

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
  readonly explanation: string;
  readonly mutation: {
    readonly isPending: boolean;
    readonly error: Error | null;
    mutate(seconds: number): void;
  };
  /** The new secret, after rotation. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

export function RotateDialog({ title, noun, explanation, mutation, secret, onClose }: RotateDialogProps) {
  const [grace, setGrace] = useState('86400');
  if (secret !== undefined)
    return <SecretDialog title={title} noun={`the ${noun}`} secret={secret} onDone={onClose} />;
  return (
    <FormDialog
      title={title}
      verb="Rotate"
      mutation={mutation}
      onClose={onClose}
      onSubmit={() => mutation.mutate(Number(grace))}
    >
      <p className="text-ink-2">{explanation}</p>
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
