// The filter of a webhook: member, comparison and value. JSON is under “Advanced”.
import { useState } from 'react';
import { Select, TextArea, TextField } from '../ui/field.tsx';
import {
  changeOperator,
  MEMBERS,
  METADATA,
  OPERATORS,
  takesOf,
  toFilterForm,
  toFilterText,
  type FilterForm,
} from './filter.rules.ts';
import { readFilter } from './sending.rules.ts';

interface FilterFieldsProps {
  /** JSON; empty: all events. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function FilterFields({ value, onChange }: FilterFieldsProps) {
  // What is typed, while it still means the given filter: "1." and a list that ends with a comma.
  const [typed, setTyped] = useState<FilterForm | null>(null);
  const read = readFilter(value);
  const problem = typeof read === 'string' ? read : undefined;
  const form = typed !== null && toFilterText(typed) === value ? typed : toFilterForm(value);
  const put = (next: FilterForm) => {
    setTyped(next);
    onChange(toFilterText(next));
  };
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">Filter</legend>
      {form === null ? (
        <p className="text-ink-2">This filter is written as JSON, under “Advanced”.</p>
      ) : (
        <Condition form={form} problem={problem} put={put} />
      )}
      <details open={form === null || undefined}>
        <summary className="text-ink-2">Advanced</summary>
        <div className="pt-2">
          <TextArea
            label="Filter as JSON"
            name="filter"
            hint="A condition on the event’s data, as on an edge of a flow. Empty: all events."
            error={form === null ? problem : undefined}
            placeholder={'{"variable": "metadata.plan", "op": "eq", "value": "gold"}'}
            className="font-mono text-xs"
            spellCheck={false}
            maxLength={4096}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        </div>
      </details>
    </fieldset>
  );
}

interface ConditionProps {
  readonly form: FilterForm;
  readonly problem: string | undefined;
  readonly put: (form: FilterForm) => void;
}

function Condition({ form, problem, put }: ConditionProps) {
  const { variable, op } = form;
  const isMetadata = variable.startsWith(METADATA);
  return (
    <div
      className={`grid gap-4 ${isMetadata || takesOf(op) === 'pair' ? 'sm:grid-cols-2' : 'sm:grid-cols-3'}`}
    >
      <Select
        label="Deliver events where"
        hint={variable === '' ? undefined : 'Events without it are not delivered'}
        value={isMetadata ? METADATA : variable}
        onChange={({ target }) => put({ ...form, variable: target.value })}
      >
        <option value="">No filter: all events</option>
        <option value={METADATA}>Metadata</option>
        {Object.entries(MEMBERS).map(([member, label]) => (
          <option key={member} value={member}>
            {label}
          </option>
        ))}
      </Select>
      {isMetadata && (
        <TextField
          label="Name in the metadata"
          placeholder="plan"
          value={variable.slice(METADATA.length)}
          onChange={({ target }) => put({ ...form, variable: METADATA + target.value.trim() })}
        />
      )}
      {variable !== '' && (
        <>
          <Select
            label="Comparison"
            value={op}
            onChange={({ target }) => put(changeOperator(form, target.value))}
          >
            {OPERATORS.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </Select>
          <Values form={form} problem={problem} put={put} />
        </>
      )}
    </div>
  );
}

function Values({ form, problem, put }: ConditionProps) {
  const takes = takesOf(form.op);
  if (takes === 'none') return null;
  const labels =
    takes === 'pair' ? ['Lowest value', 'Highest value'] : [takes === 'list' ? 'Values' : 'Value'];
  return labels.map((label, at) => (
    <TextField
      key={label}
      label={label}
      hint={takes === 'list' ? 'Separated by commas' : undefined}
      error={at === labels.length - 1 ? problem : undefined}
      value={form.values[at] ?? ''}
      onChange={({ target }) =>
        put({
          ...form,
          values: labels.map((_, index) => (index === at ? target.value : (form.values[index] ?? ''))),
        })
      }
    />
  ));
}
