// Edits one comparison: variable, operator and operand.
import { operators, type OperatorSpec } from '@parley/flow-engine';
import type { Finding } from '../../engine/check.ts';
import { engineVariables, opOf, opSpec } from '../tables.ts';
import { Field, INPUT, LineControl, ValueControl, WordsControl } from '../controls/controls.tsx';
import { problemAt } from './findings-at.ts';
import { TemplateControl } from './template-control.tsx';
import { readValue, showValue } from '../controls/value.ts';

const ops: Readonly<Record<string, OperatorSpec>> = operators;
const namesOf = (isAdvanced: boolean) =>
  Object.entries(ops).flatMap(([name, { label, advanced }]) =>
    (advanced === true) === isAdvanced ? [[name, label] as const] : [],
  );
const [operatorNames, advancedNames] = [namesOf(false), namesOf(true)];

export interface Compared {
  readonly variable?: string | null;
  readonly op?: string | null;
  readonly value?: unknown;
}

interface ComparisonProps {
  readonly compared: Compared;
  readonly variables: readonly string[];
  /** JSON pointer of the edge or of the entry in its list. */
  readonly path: string;
  readonly findings: readonly Finding[];
  readonly put: (patch: Readonly<Record<string, unknown>>, burst?: string) => void;
}

/** A missing operator means `eq` with a value, and `exists` without one. */
export const operatorOf = ({ op, value }: Compared): string | null =>
  op == null ? (value === undefined ? 'exists' : 'eq') : opOf(op);

export function Comparison({ compared, variables, path, findings, put }: ComparisonProps) {
  const op = operatorOf(compared);
  const spec = opSpec(op);
  return (
    <>
      <LineControl
        label="Variable"
        value={compared.variable}
        list={[...engineVariables, ...variables]}
        {...problemAt(findings, `${path}/variable`)}
        onChange={(variable) => put({ variable: variable ?? '' }, 'variable')}
      />
      <Field
        label="Comparison"
        hint={spec?.meaning ?? 'Unknown operator.'}
        {...problemAt(findings, `${path}/op`)}
      >
        {(ids) => (
          <select
            {...ids}
            className={`${INPUT} h-7`}
            value={op ?? compared.op ?? ''}
            onChange={(event) => {
              const takes = opSpec(event.target.value)?.takes;
              put({ op: event.target.value, value: fitting(compared.value, takes) });
            }}
          >
            {op === null && <option>{compared.op}</option>}
            {operatorNames.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
            <optgroup label="Advanced">
              {advancedNames.map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </optgroup>
          </select>
        )}
      </Field>
      <Operand
        takes={spec?.takes ?? 'any'}
        value={compared.value}
        variables={variables}
        {...problemAt(findings, `${path}/value`)}
        put={(value) => put({ value }, 'value')}
      />
    </>
  );
}

/** Converts the value for another operator, and keeps it when possible. */
function fitting(value: unknown, takes: string | undefined): unknown {
  if (takes === 'none') return undefined;
  if (takes === 'pair') return Array.isArray(value) && value.length === 2 ? value : [value ?? 0, value ?? 0];
  if (takes === 'list')
    return Array.isArray(value) ? value : value === undefined || value === '' ? [] : [value];
  return Array.isArray(value) ? value[0] : value;
}

function Operand({
  takes,
  value,
  variables,
  put,
  ...problem
}: {
  readonly takes: OperatorSpec['takes'];
  readonly value: unknown;
  readonly variables: readonly string[];
  readonly put: (value: unknown) => void;
} & ReturnType<typeof problemAt>) {
  if (takes === 'none') return null;
  if (takes === 'pair') {
    const [low, high] = Array.isArray(value) ? (value as unknown[]) : [];
    return (
      <div className="grid grid-cols-2 gap-2">
        <ValueControl
          label="From"
          value={low}
          {...problem}
          onChange={(next) => put([next ?? '', high ?? ''])}
        />
        <ValueControl label="To" value={high} onChange={(next) => put([low ?? '', next ?? ''])} />
      </div>
    );
  }
  if (takes === 'list' && (Array.isArray(value) || value == null)) {
    const elements: unknown[] = value ?? [];
    return (
      <WordsControl
        label="Values"
        hint="One per line."
        {...problem}
        value={elements.map(showValue)}
        onChange={(lines) => put((lines as string[]).map(readValue))}
      />
    );
  }
  if (takes === 'pattern')
    return (
      <LineControl
        label="Pattern"
        hint="RE2 syntax."
        {...problem}
        value={value}
        onChange={(next) => put(next ?? '')}
      />
    );
  if (takes === 'text')
    return (
      <TemplateControl
        label="Text"
        {...problem}
        value={value}
        variables={variables}
        onChange={(next) => put(next ?? '')}
      />
    );
  return <ValueControl label="Value" {...problem} value={value} onChange={put} />;
}
