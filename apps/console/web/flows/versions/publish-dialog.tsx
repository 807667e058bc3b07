// Before a version is published, or an earlier one again: what callers will notice, what was changed, and what the stored tests say of it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { notice } from '../../ui/notice.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { flowQuery, previewQuery, publicationsQuery, publish, type TestRun } from '../api.ts';
import { shownValue } from '../../engine/shown.ts';
import { BehaviourView } from './behaviour-view.tsx';
import { Sentences } from './diff-list.tsx';
import { versionDiffQuery } from './use-diff.ts';

interface PublishDialogProps {
  readonly flowId: string;
  readonly version: number;
  readonly onClose: () => void;
}

export function PublishDialog({ flowId, version, onClose }: PublishDialogProps) {
  const stored = useQuery(flowQuery(flowId, version));
  const published = stored.data?.published_version ?? null;
  const preview = useQuery(previewQuery(flowId, version));
  const compared = useQuery({ ...versionDiffQuery(flowId, published, version), enabled: stored.isSuccess });
  const publications = useQuery(publicationsQuery(flowId));
  const [skips, setSkips] = useState(false);
  const [reason, setReason] = useState('');
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: () =>
      publish(flowId, {
        version,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        ...(skips ? { skip_tests: true as const } : {}),
      }),
    onSuccess: async () => {
      notice(`Version ${version} is published`);
      onClose();
      await queries.invalidateQueries({ queryKey: ['flow', flowId] });
      await queries.invalidateQueries({ queryKey: ['flows'] });
    },
  });
  const isBack = published !== null && version < published;
  const errors = stored.data?.validation.errors.length ?? 0;
  // What was published once is published again whatever the tests say: nothing may stand in the way of going back.
  const wasPublished = publications.data?.items.some((one) => one.version === version) ?? false;
  const isHeld = !wasPublished && (preview.data?.tests.failed ?? 0) > 0;
  const isKnown = wasPublished || !preview.isLoading;
  const isReasoned = isHeld || skips ? skips && reason.trim() !== '' : true;
  const canPublish = stored.isSuccess && errors === 0 && isKnown && isReasoned;
  return (
    <Dialog
      title={isBack ? `Roll back to version ${version}` : `Publish version ${version}`}
      open
      wide
      onClose={onClose}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate();
        }}
      >
        {errors > 0 && (
          <p className="text-bad">
            It has {errors} {errors === 1 ? 'error' : 'errors'}: a flow with errors cannot be published.
          </p>
        )}
        {preview.error !== null && <Problem error={preview.error} again={() => void preview.refetch()} />}
        <Part title="What callers notice">
          {published === null && stored.isSuccess && (
            <p className="text-ink-2">Nothing is published yet: this is what callers will meet first.</p>
          )}
          {preview.isLoading && <Loading what="conversations with both versions" />}
          {preview.data?.comparison != null && (
            <BehaviourView behaviour={preview.data.comparison.behaviour} />
          )}
        </Part>
        <div className="grid gap-4 sm:grid-cols-2">
          <Part title="What was changed">
            {compared.isLoading && <Loading what="the changes" />}
            {compared.data?.diff != null && <Sentences diff={compared.data.diff} />}
            {published === null && stored.isSuccess && <p className="text-ink-2">Everything is new.</p>}
            {published !== null && published !== version && (
              <Link
                to="/flows/$flowId/compare"
                params={{ flowId }}
                search={{ from: published, to: version }}
                className="self-start text-accent hover:underline"
              >
                See version {published} and {version} on the canvas
              </Link>
            )}
          </Part>
          <Part title="Stored tests">
            {preview.isLoading && <Loading what="the tests" />}
            {preview.data !== undefined && <Tests run={preview.data.tests} />}
          </Part>
        </div>
        {(isHeld || preview.error !== null) && (
          <Checkbox
            label="Publish all the same"
            hint="The reason is kept in the log of publications."
            checked={skips}
            onChange={(event) => setSkips(event.target.checked)}
          />
        )}
        <TextField
          label={skips ? 'Reason' : 'Reason (optional)'}
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {run.error !== null && <Problem error={run.error} />}
        <Button type="submit" kind="primary" className="self-end" busy={run.isPending} disabled={!canPublish}>
          {isBack ? 'Roll back' : 'Publish'}
        </Button>
      </form>
    </Dialog>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1">
      <h3 className="font-medium">{title}</h3>
      {children}
    </section>
  );
}

function Tests({ run: { passed, failed, results } }: { readonly run: TestRun }) {
  if (results.length === 0)
    return <p className="text-ink-2">None yet. A conversation of “Try it” can be saved as one.</p>;
  return (
    <>
      <p className={failed > 0 ? 'text-bad' : 'text-good'}>
        {failed > 0
          ? `${failed} of ${results.length} fail`
          : passed === 1
            ? 'The one there is passes'
            : `All ${passed} pass`}
      </p>
      <ul className="flex flex-col gap-1">
        {results
          .filter((result) => !result.passed)
          .map(({ name, failures }) => (
            <li key={name}>
              <code className="font-mono text-xs">{name}</code>
              {failures.slice(0, 1).map(({ path, expected, actual }) => (
                <p key={path} className="text-xs break-words text-ink-2">
                  {path}: expected {shownValue(expected)}, was {shownValue(actual)}
                </p>
              ))}
            </li>
          ))}
      </ul>
    </>
  );
}
