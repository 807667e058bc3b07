// Saves a new version. Merges first when another person saved in the meantime.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { readOrganizationId } from '../../api/organization.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/page.tsx';
import { getFlow, saveVersion, testsQuery, type StoredFlow } from '../api.ts';
import { toDefinition, type Doc } from '../document/doc.ts';
import { forgetDraft } from '../document/drafts.ts';
import { isDirty, rebase, useFlow, type Base } from '../document/flow-store.ts';
import { BehaviourView } from './behaviour-view.tsx';
import { Conflict } from './conflict.tsx';
import { Sentences } from './diff-list.tsx';
import { draftBehaviourQuery, draftDiffQuery } from './use-diff.ts';

interface SaveDialogProps {
  readonly flowId: string;
  readonly name: string;
  readonly onClose: () => void;
}

export function SaveDialog({ flowId, name, onClose }: SaveDialogProps) {
  const doc = useFlow((state) => state.doc);
  const base = useFlow((state) => state.base);
  const counts = useFlow((state) => state.checked?.findings);
  const dirty = useFlow(isDirty);
  const [note, setNote] = useState('');
  const [theirs, setTheirs] = useState<StoredFlow | null>(null);
  const queries = useQueryClient();
  const save = useAction(
    ({ saved, version }: { readonly saved: Doc; readonly version: number }) =>
      saveVersion(flowId, {
        definition: toDefinition(saved),
        base_version: version,
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        ...renamed(saved, name),
      }),
    {
      says: ({ version }) => `Saved version ${version}`,
      reloads: [['flow', flowId], 'flows'],
      then: async (stored, { saved }) => {
        rebase({ version: stored.version, etag: stored.etag, doc: saved });
        await forgetDraft(await readOrganizationId(queries), flowId);
        onClose();
      },
      fails: async (error) => {
        if (error instanceof ApiError && error.code === 'stale_version')
          setTheirs(await getFlow(flowId, 'latest'));
      },
    },
  );
  if (base === null) return null;
  const errors = counts?.filter(({ severity }) => severity === 'error').length ?? 0;
  return (
    <Dialog
      title={theirs === null ? 'Save version' : 'Another person saved a version'}
      open
      onClose={onClose}
      wide={theirs !== null}
    >
      {theirs === null ? (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate({ saved: doc, version: base.version });
          }}
        >
          <Changes base={base} doc={doc} />
          <Noticed flowId={flowId} version={base.version} doc={doc} />
          {errors > 0 && (
            <p className="text-warn">
              The flow has {errors} {errors === 1 ? 'error' : 'errors'}. You can save it as a draft and
              publish it later.
            </p>
          )}
          <TextField
            label="Note"
            hint="Shown in the list of versions."
            maxLength={1000}
            // The only field of the dialog.
            // eslint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          {save.error !== null && <Problem error={save.error} />}
          <Button type="submit" kind="primary" className="self-end" busy={save.isPending} disabled={!dirty}>
            Save version {base.version + 1}
          </Button>
        </form>
      ) : (
        <Conflict
          base={base}
          mine={doc}
          theirs={theirs}
          busy={save.isPending}
          onClose={onClose}
          onMerged={(saved) => save.mutate({ saved, version: theirs.version })}
        />
      )}
    </Dialog>
  );
}

/** A name in the definition becomes the name of the flow. */
function renamed({ flow }: Doc, name: string): { readonly name?: string } {
  const own = typeof flow.name === 'string' ? flow.name.trim() : '';
  return own === '' || own === name ? {} : { name: own };
}

/** Behavioural differences of the draft. */
function Noticed({
  flowId,
  version,
  doc,
}: {
  readonly flowId: string;
  readonly version: number;
  readonly doc: Doc;
}) {
  const tests = useQuery(testsQuery(flowId)).data;
  const { data } = useQuery({
    ...draftBehaviourQuery(flowId, version, doc.flow, tests ?? []),
    enabled: tests !== undefined,
  });
  if (data?.kind !== 'found') return null; // saving does not wait for it
  return (
    <section aria-label="Differences for callers" className="flex flex-col gap-1">
      <h3 className="font-medium">Differences for callers</h3>
      <BehaviourView behaviour={data.found} />
    </section>
  );
}

function Changes({ base, doc }: { readonly base: Base; readonly doc: Doc }) {
  const { data: diff } = useQuery(draftDiffQuery([base.version, 'save'], base.doc.flow, doc.flow));
  if (diff === undefined) return null;
  if (diff === null)
    return <p className="text-ink-2">The draft has errors, so its changes cannot be shown.</p>;
  return <Sentences diff={diff} />;
}
