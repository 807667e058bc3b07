// The data of a template as a form of its variables. JSON is under "Advanced".
import { TextArea, TextField } from '../../ui/field.tsx';
import { problemOf, readObject, valueOf } from '../json.rules.ts';
import { nameOf, textAt, withTextAt, type Variable } from './variables.rules.ts';

interface DataFieldsProps {
  /** Undefined: the template is not known. */
  readonly variables: readonly Variable[] | undefined;
  /** The data as JSON. */
  readonly json: string;
  readonly onChange: (json: string) => void;
  /** What an empty field means. */
  readonly hint: string;
}

export function DataFields({ variables, json, onChange, hint }: DataFieldsProps) {
  const read = readObject(json);
  const data = valueOf(read) ?? {};
  const listed = variables?.filter(({ kind }) => kind === 'json') ?? [];
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">Data</legend>
      <p className="text-xs text-ink-2">
        {variables === undefined
          ? 'Choose a template to fill in its variables.'
          : variables.length === 0
            ? 'This template has no variables.'
            : hint}
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        {variables
          ?.filter(({ kind }) => kind !== 'json')
          .map((variable) => {
            const props = {
              label: nameOf(variable),
              value: textAt(data, variable),
              disabled: 'problem' in read,
              placeholder: `[${variable.path.at(-1)}]`,
              dir: 'auto' as const,
            };
            const change = (text: string) =>
              onChange(JSON.stringify(withTextAt(data, variable, text), null, 2));
            return variable.kind === 'text' ? (
              <TextField key={props.label} {...props} onChange={(event) => change(event.target.value)} />
            ) : (
              <TextArea
                key={props.label}
                {...props}
                hint="One a line"
                rows={3}
                onChange={(event) => change(event.target.value)}
              />
            );
          })}
      </div>
      <details open={listed.length > 0 || 'problem' in read || undefined}>
        <summary className="w-fit text-xs text-ink-2">Advanced: data as JSON</summary>
        <div className="pt-2">
          <TextArea
            label="Data as JSON"
            hint={
              listed.length > 0
                ? `Lists of objects are set here: ${listed.map(nameOf).join(', ')}`
                : undefined
            }
            error={problemOf(read)}
            rows={5}
            spellCheck={false}
            className="font-mono text-xs"
            placeholder="{ }"
            value={json}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      </details>
    </fieldset>
  );
}
