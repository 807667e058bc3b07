// Before a version is published, or an earlier one again: what changes for callers, and what the stored tests say of it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { notice } from '../../ui/notice.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { flowQuery, publish, testRunQuery, type TestRun } from '../api.ts';
import { shownValue } from '../../engine/shown.ts';
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
  const compared = useQuery({ ...versionDiffQuery(flowId, published, version), enabled: stored.isSuccess });
  const tests = useQuery(testRunQuery(flowId, version));
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
  const failed = tests.data?.failed ?? 0;
  const canPublish = stored.isSuccess && errors === 0 && (failed === 0 || (skips && reason.trim() !== ''));
  return (
    <Dialog
      title={isBack ? `Roll back to version ${version}` : `Publish version ${version}`}
      open
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
        <section className="flex flex-col gap-1">
          <h3 className="font-medium">What changes for callers</h3>
          {published === null && stored.isSuccess && (
            <p className="text-ink-2">Nothing is published yet: this is what callers will meet first.</p>
          )}
          {compared.isLoading && <Loading what="the changes" />}
          {compared.data?.diff != null && <Sentences diff={compared.data.diff} />}
          {published !== null && published !== version && (
            <Link
              to="/flows/$flowId/compare"
              params={{ flowId }}
              search={{ from: published, to: version }}
              className="text-accent hover:underline"
            >
              See version {published} and {version} on the canvas
            </Link>
          )}
        </section>
        <section className="flex flex-col gap-1">
          <h3 className="font-medium">Stored tests</h3>
          {tests.isLoading && <Loading what="the tests" />}
          {tests.error !== null && <Problem error={tests.error} />}
          {tests.data !== undefined && <Tests run={tests.data} />}
        </section>
        {failed > 0 && (
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
                <p key={path} className="text-xs text-ink-2">
                  {path}: expected {shownValue(expected)}, was {shownValue(actual)}
                </p>
              ))}
            </li>
          ))}
      </ul>
    </>
  );
}
