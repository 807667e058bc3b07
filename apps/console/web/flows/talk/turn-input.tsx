// The input of a turn: utterance, silence or result. Editing it replays the turns after it.
import { useState } from 'react';
import { shownValue } from '../../engine/shown.ts';
import type { PlayedTurn } from '../../engine/converse.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { INPUT } from '../controls/controls.tsx';
import { Bring } from './bring.tsx';
import { bringInstead, sayInstead } from './talk-store.ts';

const SMALL = buttonClass('quiet', 'h-6! px-1.5! text-xs');

interface SaidProps {
  readonly turn: Pick<PlayedTurn, 'input' | 'brought'>;
  readonly number: number;
}

export function Said({ turn: { input, brought }, number }: SaidProps) {
  const [edited, setEdited] = useState<string | null>(null);
  if (edited === null)
    return (
      <div className="flex items-center justify-end gap-1">
        <button
          type="button"
          className={`${SMALL} opacity-0 group-hover:opacity-100 focus:opacity-100`}
          aria-label={`Edit turn ${number + 1}`}
          onClick={() => setEdited(input ?? '')}
        >
          Edit
        </button>
        <p className="max-w-[80%] rounded-lg rounded-br-sm bg-accent px-2.5 py-1 break-words text-accent-ink">
          {brought !== null ? <i>{broughtTold(brought)}</i> : (input ?? <i>silence</i>)}
        </p>
      </div>
    );
  if (brought !== null)
    return (
      <Bring
        awaited={brought.kind}
        given={brought}
        onBring={(other) => {
          setEdited(null);
          bringInstead(number, other);
        }}
      />
    );
  return (
    <form
      className="flex justify-end gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        setEdited(null);
        sayInstead(number, edited === '' ? null : edited);
      }}
    >
      <input
        // Pressing "Edit" moves the focus here.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        aria-label={`Input of turn ${number + 1}`}
        className={`${INPUT} h-7`}
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setEdited(null)}
      />
      <Button type="submit" className="h-7!">
        Replay
      </Button>
    </form>
  );
}

function broughtTold(brought: NonNullable<PlayedTurn['brought']>): string {
  if (brought.kind === 'handoff_result')
    return `handoff ${brought.status}${brought.reason === null ? '' : `: ${brought.reason}`}`;
  const { outcome } = brought;
  if (outcome.status === 'pending') return 'tool still running';
  return outcome.status === 'ok'
    ? `tool result ${shownValue(outcome.result)}`
    : `tool failed: ${outcome.code}`;
}
