// Chooses the control of a member.
import { casts } from '@parley/flow-engine';
import { castOf, castSpec, labelsOf } from '../tables.ts';
import type { Finding } from '../../engine/check.ts';
import { AssignmentsControl } from './assignments.tsx';
import { CallControl } from './call-control.tsx';
import {
  ChoicesControl,
  FlagControl,
  JsonControl,
  LineControl,
  NumberControl,
  ValueControl,
  WordsControl,
} from '../controls/controls.tsx';
import { ExtractionControl } from './extraction-control.tsx';
import { problemAt } from './findings-at.ts';
import { MapControl, TextsControl } from './map-control.tsx';
import { textNames, type MemberRow } from './members.ts';
import { TemplateControl } from './template-control.tsx';

interface MemberControlProps {
  readonly row: MemberRow;
  readonly value: unknown;
  readonly variables: readonly string[];
  /** JSON pointer of the member. */
  readonly path: string;
  readonly findings: readonly Finding[];
  readonly onChange: (value: unknown) => void;
}

const ANY_TURN = 'any_turn';
/** Any other value is the author's own and stays. */
const isCommand = (value: unknown): boolean => value == null || value === ANY_TURN;

export function MemberControl({ row, value, variables, path, findings, onChange }: MemberControlProps) {
  const { member, label, control, hint, options } = row;
  const given = { label, hint, value, onChange, ...problemAt(findings, path) };
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
      return <AssignmentsControl {...given} variables={variables} path={path} findings={findings} />;
    case 'map':
      return <MapControl {...given} />;
    case 'texts':
      return <TextsControl {...given} names={textNames(member)} variables={variables} />;
    case 'extraction':
      return <ExtractionControl {...given} />;
    case 'call':
      return <CallControl {...given} path={path} findings={findings} />;
    case 'command':
      return isCommand(value) ? (
        <FlagControl
          {...given}
          label="Command"
          hint="The engine tries its edges on the utterance at every question."
          value={value === ANY_TURN}
          onChange={(chosen) => onChange(chosen === true ? ANY_TURN : undefined)}
        />
      ) : (
        <LineControl {...given} />
      );
    case 'cast': {
      const cast = castOf(value as string | null | undefined);
      return (
        <LineControl
          {...given}
          value={cast ?? value}
          hint={castSpec(cast)?.meaning ?? 'Unknown cast.'}
          options={labelsOf(casts)}
        />
      );
    }
    case 'json':
      return <JsonControl {...given} />;
  }
}
