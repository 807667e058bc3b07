// Shows a conversation from its script: input, model results and messages.
import { shownValue } from '../../engine/shown.ts';
import { broughtIn } from './behaviour.ts';

interface Turn {
  readonly classifier?: unknown;
  readonly extraction?: unknown;
  readonly expect: { readonly messages?: readonly string[] | undefined };
}

export function Conversation({ turns }: { readonly turns: readonly Turn[] }) {
  return (
    <ol aria-label="Conversation" className="flex flex-col gap-1">
      {turns.map((turn, at) => (
        <li key={at} className="flex flex-col gap-1">
          <Said turn={turn} isOpening={at === 0} />
          {(turn.expect.messages ?? []).map((text, place) => (
            <p
              key={place}
              className="max-w-[85%] self-start rounded-lg rounded-bl-sm bg-surface-3 px-2 py-0.5 break-words"
            >
              {text}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}

function Said({ turn, isOpening }: { readonly turn: Turn; readonly isOpening: boolean }) {
  const words = broughtIn(turn as unknown as Readonly<Record<string, unknown>>);
  const answers = [
    turn.classifier !== undefined && turn.classifier !== 'none' && `classifier: ${chosen(turn.classifier)}`,
    turn.extraction !== undefined && `extractor: ${shownValue(turn.extraction)}`,
  ].filter((one) => one !== false);
  if (words === null && isOpening && answers.length === 0) return null;
  return (
    <div className="flex max-w-[85%] flex-col items-end self-end">
      <p className="rounded-lg rounded-br-sm bg-accent px-2 py-0.5 break-words text-accent-ink">
        {words ?? <i>{isOpening ? 'conversation starts' : 'silence'}</i>}
      </p>
      {answers.length > 0 && <p className="text-xs break-words text-ink-2">{answers.join('; ')}</p>}
    </div>
  );
}

/** People see candidates counted from 1. */
function chosen(classifier: unknown): string {
  const one = (choice: unknown) => (typeof choice === 'number' ? `number ${choice + 1}` : 'none');
  return Array.isArray(classifier) ? classifier.map(one).join(', ') : one(classifier);
}
