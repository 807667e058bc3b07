// Publishes a version or rolls back to one, after showing differences, changes and test results.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import {
  flowQuery,
  previewQuery,
  publicationsQuery,
  publish,
  type StoredFlow,
  type TestRun,
} from '../api.ts';
import { shownValue } from '../../engine/shown.ts';
import { FindingList } from '../problems/finding-list.tsx';
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
  const run = useAction(
    () =>
      publish(flowId, {
        version,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        ...(skips ? { skip_tests: true as const } : {}),
      }),
    { says: `Published version ${version}`, reloads: [['flow', flowId], 'flows'], then: onClose },
  );
  const isBack = published !== null && version < published;
  const errors = stored.data?.validation.errors.length ?? 0;
  // A rollback must always work, so a version that was published before needs no passing tests.
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
        <Findings items={stored.data?.validation} />
        {preview.error !== null && <Problem error={preview.error} onRetry={() => void preview.refetch()} />}
        <Part title="Differences for callers">
          {published === null && stored.isSuccess && (
            <p className="text-ink-2">This is the first published version, so there is nothing to compare.</p>
          )}
          {preview.isLoading && <Loading subject="differences" />}
          {preview.data?.comparison != null && (
            <BehaviourView behaviour={preview.data.comparison.behaviour} />
          )}
        </Part>
        <div className="grid gap-4 sm:grid-cols-2">
          <Part title="Changes">
            {compared.isLoading && <Loading subject="the changes" />}
            {compared.data?.diff != null && <Sentences diff={compared.data.diff} />}
            {published === null && stored.isSuccess && <p className="text-ink-2">First version.</p>}
            {published !== null && published !== version && (
              <Link
                to="/flows/$flowId/compare"
                params={{ flowId }}
                search={{ from: published, to: version }}
                className="self-start text-accent hover:underline"
              >
                Compare versions {published} and {version} on the canvas
              </Link>
            )}
          </Part>
          <Part title="Stored tests">
            {preview.isLoading && <Loading subject="the tests" />}
            {preview.data !== undefined && <Tests run={preview.data.tests} />}
          </Part>
        </div>
        {(isHeld || preview.error !== null) && (
          <Checkbox
            label="Publish anyway"
            hint="The publication log stores the reason."
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

const FINDINGS_SHOWN = 8;

/** Errors and warnings of the version, first of all because errors prevent publishing. */
function Findings({ items }: { readonly items: StoredFlow['validation'] | undefined }) {
  if (items === undefined) return <Loading subject="the problems" />;
  const { errors, warnings } = items;
  const all = [
    ...errors.map((one) => ({ ...one, severity: 'error' as const, witness: [] })),
    ...warnings.map((one) => ({ ...one, severity: 'warning' as const, witness: [] })),
  ];
  if (all.length === 0) return null;
  return (
    <section aria-label="Problems" className="flex flex-col gap-1">
      <h3 className={`font-medium ${errors.length > 0 ? 'text-bad' : ''}`}>
        {[counted(errors.length, 'error'), counted(warnings.length, 'warning')].filter(Boolean).join(', ')}
      </h3>
      {errors.length > 0 && <p>A version with errors cannot be published. Correct them and save again.</p>}
      <FindingList findings={all.slice(0, FINDINGS_SHOWN)} />
      {all.length > FINDINGS_SHOWN && (
        <p className="text-ink-2">And {all.length - FINDINGS_SHOWN} more, under “Problems” of the flow.</p>
      )}
    </section>
  );
}

const counted = (count: number, noun: string) =>
  count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;

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
    return <p className="text-ink-2">No tests yet. Save a conversation in “Try it” as a test.</p>;
  return (
    <>
      <p className={failed > 0 ? 'text-bad' : 'text-good'}>
        {failed > 0
          ? `${failed} of ${results.length} fail`
          : passed === 1
            ? 'The test passes'
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
                  {path}: expected {shownValue(expected)}, got {shownValue(actual)}
                </p>
              ))}
            </li>
          ))}
      </ul>
    </>
  );
}
