// Form controls, linked to their label, hint and error for screen readers.
import { createContext, useContext, useId, type ComponentProps, type ReactNode } from 'react';
import { ApiError, type FieldProblem } from '../api/error.ts';

const CONTROL =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm text-ink disabled:bg-surface-2 disabled:text-ink-2 aria-invalid:border-bad';

const RefusedFields = createContext<readonly FieldProblem[]>([]);

/**
 * Marks the fields inside that the service refused, by `name`: the member of the request, or the
 * path to it (`provider/url`).
 */
export function Refused({ error, children }: { error: unknown; children: ReactNode }) {
  return <RefusedFields value={error instanceof ApiError ? error.fields : []}>{children}</RefusedFields>;
}

/** A path is a JSON pointer, or has dots. */
function useError(own: string | undefined, name: string | undefined): string | undefined {
  const fields = useContext(RefusedFields);
  if (own !== undefined || name === undefined) return own;
  const wanted = name.split('/');
  return fields.find(({ path }) => {
    const members = path.split(/[/.]/).filter(Boolean);
    return wanted.every((member, index) => members[index] === member);
  })?.message;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

function Field({ id, label, hint, error, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-ink-2">
          {hint}
        </p>
      )}
    </div>
  );
}

const described = (id: string, { hint, error }: FieldProps) => ({
  id,
  'aria-invalid': error !== undefined,
  'aria-describedby':
    [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ') ||
    undefined,
});

export function TextField({
  label,
  hint,
  error: own,
  className = '',
  ...rest
}: FieldProps & ComponentProps<'input'>) {
  const id = useId();
  const error = useError(own, rest.name);
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        {...described(id, { label, hint, error })}
        autoComplete="off"
        className={`${CONTROL} h-8 ${className}`}
        {...rest}
      />
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error: own,
  className = '',
  ...rest
}: FieldProps & ComponentProps<'textarea'>) {
  const id = useId();
  const error = useError(own, rest.name);
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <textarea
        {...described(id, { label, hint, error })}
        className={`${CONTROL} min-h-20 py-1.5 ${className}`}
        {...rest}
      />
    </Field>
  );
}

export function Select({
  label,
  hint,
  error: own,
  className = '',
  children,
  ...rest
}: FieldProps & ComponentProps<'select'>) {
  const id = useId();
  const error = useError(own, rest.name);
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <select
        {...described(id, { label, hint, error })}
        className={`${CONTROL} h-8 pr-1 ${className}`}
        {...rest}
      >
        {children}
      </select>
    </Field>
  );
}

export function Checkbox({ label, hint, ...rest }: FieldProps & ComponentProps<'input'>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        type="checkbox"
        {...described(id, { label, hint })}
        className="mt-0.5 size-4 accent-accent"
        {...rest}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-ink-2">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
