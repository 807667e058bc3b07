// The control that a member asks for.
import { casts } from '@parley/flow-engine';
import { castOf, castSpec, titled } from '../tables.ts';
import { AssignmentsControl } from './assignments.tsx';
import {
  ChoicesControl,
  FlagControl,
  JsonControl,
  LineControl,
  NumberControl,
  ValueControl,
  WordsControl,
} from './controls.tsx';
import type { MemberRow } from './members.ts';
import { TemplateControl } from './template-control.tsx';

interface MemberControlProps {
  readonly row: MemberRow;
  readonly value: unknown;
  readonly variables: readonly string[];
  readonly onChange: (value: unknown) => void;
}

export function MemberControl({ row, value, variables, onChange }: MemberControlProps) {
  const { member, control, hint, options } = row;
  const given = { label: titled(member), hint, value, onChange };
  switch (control) {
    case 'template':
      return <TemplateControl {...given} variables={variables} />;
    case 'flag':
      return <FlagControl {...given} />;
    case 'number':
      return <NumberControl {...given} />;
    case 'words':
      return <WordsControl {...given} />;
    case 'value':
      return <ValueControl {...given} />;
    case 'choices':
      return <ChoicesControl {...given} />;
    case 'variable':
      return <LineControl {...given} list={variables} />;
    case 'line':
      return <LineControl {...given} options={options} />;
    case 'assignments':
      return <AssignmentsControl {...given} variables={variables} />;
    case 'cast': {
      const cast = castOf(value as string | null | undefined);
      return (
        <LineControl
          {...given}
          value={cast ?? value}
          hint={castSpec(cast)?.meaning ?? 'There is no such cast.'}
          options={Object.keys(casts)}
        />
      );
    }
    case 'json':
      return <JsonControl {...given} />;
  }
}
