// The bucket that gets copies of recordings.
import { Select, TextField } from '../ui/field.tsx';
import { STORAGE_FIELD_NAMES, STORAGE_FIELDS, type StorageForm } from './form.rules.ts';

interface Props {
  readonly form: StorageForm;
  readonly isOfAgent: boolean;
  readonly onChange: (form: StorageForm) => void;
}

export function StorageRule({ form, isOfAgent, onChange }: Props) {
  return (
    <fieldset className="flex flex-col gap-2 rounded-lg border border-line p-4">
      <legend className="px-1 font-semibold">Copies of recordings</legend>
      <p className="text-xs text-ink-2">
        Parley copies each new recording into a bucket of yours and removes the copy with the recording.
        Saving tries failed copies again.
      </p>
      <Select
        label="Copies"
        className="max-w-80"
        value={form.kind}
        onChange={({ target }) => onChange({ ...form, kind: target.value as StorageForm['kind'] })}
      >
        <option value="inherit">{isOfAgent ? 'As the organisation' : 'Off'}</option>
        {(isOfAgent || form.kind === 'off') && <option value="off">No copies</option>}
        <option value="bucket">Into a bucket</option>
      </Select>
      {form.kind === 'bucket' && (
        <div className="grid gap-3 sm:grid-cols-2">
          {STORAGE_FIELD_NAMES.map((name) => (
            <TextField
              key={name}
              label={STORAGE_FIELDS[name].label}
              hint={STORAGE_FIELDS[name].hint}
              name={`recording_storage/${name}`}
              required={name !== 'prefix'}
              spellCheck={false}
              value={form.fields[name]}
              onChange={({ target }) =>
                onChange({ ...form, fields: { ...form.fields, [name]: target.value } })
              }
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
