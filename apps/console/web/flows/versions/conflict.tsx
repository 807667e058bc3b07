// Merges the draft with a version that another person saved, and lets the person decide conflicts.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import type { StoredFlow } from '../api.ts';
import { toDoc, type Doc } from '../document/doc.ts';
import { change, openFlow, rebase, type Base } from '../document/flow-store.ts';
import { Sentences } from './diff-list.tsx';
import { mergeFlows, type Conflict as Contested, type Side } from './merge.ts';
import { draftDiffQuery } from './use-diff.ts';

interface ConflictProps {
  readonly base: Base;
  readonly mine: Doc;
  readonly theirs: StoredFlow;
  readonly busy: boolean;
  readonly onMerged: (merged: Doc) => void;
  readonly onClose: () => void;
}

export function Conflict({ base, mine, theirs, busy, onMerged, onClose }: ConflictProps) {
  const [choices, setChoices] = useState<Readonly<Record<string, Side>>>({});
  const other = useMemo(() => toDoc(theirs.definition), [theirs]);
  const merged = useMemo(
    () => mergeFlows(base.doc.flow, mine.flow, other.flow, choices),
    [base, mine, other, choices],
  );
  const isDecided = merged.conflicts.every(({ key }) => choices[key] !== undefined);

  function merge() {
    const doc: Doc = { flow: merged.flow, places: { ...other.places, ...mine.places } };
    rebase({ version: theirs.version, etag: theirs.etag, doc: other });
    change(() => doc, `Merged with version ${theirs.version}`);
    onMerged(doc);
  }

  function takeTheirs() {
    openFlow(theirs.flow_id, { version: theirs.version, etag: theirs.etag, doc: other }, other);
    onClose();
  }

  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        Your changes are based on version {base.version}. Version {theirs.version} was saved{' '}
        <Time at={theirs.updated_at} />.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <Side title="Their changes" name={`theirs ${theirs.version}`} from={base.doc} to={other} />
        <Side title="Your changes" name="mine" from={base.doc} to={mine} />
      </div>
      {merged.conflicts.length === 0 ? (
        <p>The changes do not conflict. Merge them to save both.</p>
      ) : (
        <section className="flex flex-col gap-2">
          <h3 className="font-medium">Conflicts: choose a version for each</h3>
          {merged.conflicts.map((conflict) => (
            <Choice
              key={conflict.key}
              conflict={conflict}
              chosen={choices[conflict.key]}
              onChoose={(side) => setChoices((old) => ({ ...old, [conflict.key]: side }))}
            />
          ))}
        </section>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={takeTheirs}>Discard my changes</Button>
        <Button kind="primary" busy={busy} disabled={!isDecided} onClick={merge}>
          Merge and save
        </Button>
      </div>
    </div>
  );
}

function Side({
  title,
  name,
  from,
  to,
}: {
  readonly title: string;
  readonly name: string;
  readonly from: Doc;
  readonly to: Doc;
}) {
  const { data: diff } = useQuery(draftDiffQuery(['conflict', name], from.flow, to.flow));
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-medium">{title}</h3>
      {diff != null && <Sentences diff={diff} />}
    </section>
  );
}

const KINDS: Readonly<Record<Contested['kind'], string>> = {
  node: 'Node',
  edges: 'Outgoing edges of',
  member: 'Flow member',
};

function Choice({
  conflict,
  chosen,
  onChoose,
}: {
  readonly conflict: Contested;
  readonly chosen: Side | undefined;
  readonly onChoose: (side: Side) => void;
}) {
  const { key, kind, name, mine, theirs } = conflict;
  return (
    <fieldset className="rounded-md border border-line p-2">
      <legend className="px-1">
        {KINDS[kind]} <code className="font-mono text-xs">{name}</code>
      </legend>
      <div className="grid grid-cols-2 gap-2">
        {(['theirs', 'mine'] as const).map((side) => {
          const value = side === 'mine' ? mine : theirs;
          return (
            <label key={side} className="flex min-w-0 flex-col gap-1 rounded p-1 has-checked:bg-accent-soft">
              <span className="flex items-center gap-1.5">
                <input
                  type="radio"
                  name={key}
                  className="accent-accent"
                  checked={chosen === side}
                  onChange={() => onChoose(side)}
                />
                {side === 'mine' ? 'Yours' : 'Theirs'}
              </span>
              <pre className="max-h-40 overflow-auto font-mono text-xs whitespace-pre-wrap break-all">
                {value === undefined ? 'removed' : JSON.stringify(value, null, 1)}
              </pre>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
