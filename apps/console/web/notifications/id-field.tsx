// The id that a person chooses for a template, a workflow or a category.
import { TextField } from '../ui/field.tsx';

interface IdFieldProps {
  /** `template`, as sends name it. */
  readonly noun: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (id: string) => void;
}

export function IdField({ noun, value, error, onChange }: IdFieldProps) {
  return (
    <TextField
      label="Id"
      hint={`Sends name the ${noun} by this id: letters, digits, . _ and -`}
      error={error}
      required
      maxLength={64}
      pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
