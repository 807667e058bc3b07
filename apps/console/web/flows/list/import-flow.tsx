// Imports a flow of another product from a file or folder, and reports the result of each node
// before creating it.
import { useRef, useState } from 'react';
import { useAction } from '../../ui/action.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { importFlow, type ImportedFlow } from '../api.ts';
import { pickedFrom, pickedFromDrop, sourceOf, type PickedFile } from './import-source.ts';

export interface Imported {
  readonly name: string;
  readonly answer: ImportedFlow;
}

type Entry = ImportedFlow['report'][number];
const TONES: Readonly<Record<Entry['outcome'], Tone>> = {
  mapped: 'good',
  approximated: 'warn',
  dropped: 'bad',
};
/** Differences first. */
const ORDER = ['dropped', 'approximated', 'mapped'] as const;

interface ImportFlowProps {
  readonly imported: Imported | null;
  readonly onImported: (imported: Imported | null) => void;
}

export function ImportFlow({ imported, onImported }: ImportFlowProps) {
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const read = useAction(
    async (picking: readonly PickedFile[] | Promise<readonly PickedFile[]>) => {
      onImported(null);
      const { name, source } = await sourceOf(await picking);
      return { name, answer: await importFlow(source) };
    },
    { says: ({ name }) => `Read ${name}`, isShown: true, then: onImported },
  );
  const take = (input: HTMLInputElement) => {
    if (input.files !== null && input.files.length > 0) read.mutate(pickedFrom(input.files));
    input.value = ''; // allows choosing the same file again after a fix
  };
  return (
    <div className="flex flex-col gap-3">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons inside work without a mouse */}
      <div
        role="group"
        aria-label="File or folder"
        data-over={over}
        className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong px-4 py-5 text-center data-[over=true]:border-accent data-[over=true]:bg-accent-soft"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          read.mutate(pickedFromDrop(event.dataTransfer.items));
        }}
      >
        <p className="text-ink-2">
          Drop a file or folder of Dialogflow CX, Dograh, Pipecat, Rasa, Retell, Typebot or Vapi.
        </p>
        <div className="flex flex-wrap justify-center gap-2">
          <Button onClick={() => file.current?.click()}>Choose file</Button>
          <Button onClick={() => folder.current?.click()}>Choose folder</Button>
        </div>
        <input
          ref={file}
          type="file"
          hidden
          aria-label="File"
          accept=".json,.yml,.yaml"
          onChange={(event) => take(event.target)}
        />
        <input
          ref={folder}
          type="file"
          hidden
          aria-label="Folder"
          {...{ webkitdirectory: '' }} // missing in React's types
          onChange={(event) => take(event.target)}
        />
      </div>
      {read.isPending && <Loading subject="the flow" />}
      {read.error && <Problem error={read.error} />}
      {imported && <Report of={imported.answer} />}
    </div>
  );
}

function Report({ of: { format, nodes, report, texts, losses, validation } }: { of: ImportedFlow }) {
  const faults = validation.errors.length;
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="flex flex-wrap items-center gap-2">
        Detected format: {format}
        {ORDER.toReversed().map((outcome) => (
          <Badge key={outcome} tone={nodes[outcome] === 0 ? 'neutral' : TONES[outcome]}>
            {nodes[outcome]} {outcome}
          </Badge>
        ))}
      </p>
      {faults > 0 && (
        <p className="text-warn">
          The flow has {faults === 1 ? 'one error' : `${faults} errors`}. It opens as a draft so that you can
          correct {faults === 1 ? 'it' : 'them'}.
        </p>
      )}
      <ul
        aria-label="Import report"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        className="flex max-h-56 flex-col overflow-y-auto rounded-lg border border-line"
      >
        {ORDER.flatMap((outcome) =>
          report
            .filter((entry) => entry.outcome === outcome)
            .map((entry) => (
              <li
                key={entry.pointer}
                title={entry.pointer}
                className="flex flex-wrap items-baseline gap-x-2 border-b border-line px-3 py-1.5 last:border-b-0"
              >
                <Badge tone={TONES[outcome]}>{outcome}</Badge>
                <span className="min-w-0 font-medium break-words">{entry.name}</span>
                <span className="text-xs text-ink-2">{entry.type}</span>
                {entry.reason !== null && (
                  <span className="basis-full break-words text-ink-2">{entry.reason}</span>
                )}
              </li>
            )),
        )}
      </ul>
      <p className="text-ink-2">
        Texts: {texts.kept} kept, {texts.approximated} approximated, {texts.lost} lost
      </p>
      {losses.length > 0 && <Losses losses={losses} total={texts.approximated + texts.lost} />}
    </div>
  );
}

const LOSSES_SHOWN = 200;

/** Lost texts first: someone must write them again. */
function Losses({ losses, total }: { losses: ImportedFlow['losses']; total: number }) {
  const lost = losses.filter(({ outcome }) => outcome === 'lost');
  const ordered = [...lost, ...losses.filter(({ outcome }) => outcome !== 'lost')].slice(0, LOSSES_SHOWN);
  return (
    <details open={lost.length > 0}>
      <summary className="cursor-pointer font-medium">Texts to check</summary>
      <ul
        aria-label="Texts to check"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        className="mt-2 flex max-h-56 flex-col overflow-y-auto rounded-lg border border-line"
      >
        {ordered.map(({ pointer, text, outcome, reason }) => (
          <li
            key={`${pointer} ${text}`}
            title={pointer}
            className="flex flex-wrap items-baseline gap-x-2 border-b border-line px-3 py-1.5 last:border-b-0"
          >
            <Badge tone={outcome === 'lost' ? 'bad' : 'warn'}>{outcome}</Badge>
            <span className="min-w-0 break-words">{text}</span>
            <span className="basis-full break-words text-ink-2">{reason}</span>
          </li>
        ))}
      </ul>
      {total > ordered.length && (
        <p className="text-ink-2">
          {ordered.length} of {total} are listed. Run <code>parley import</code> for the others.
        </p>
      )}
    </details>
  );
}
