// What templates and workflows share on the page: the state of their versions, and the buttons that
// publish and delete.
import { useState, type ReactNode } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/page.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

export interface Versioned {
  readonly published_version: number | null;
  readonly latest_version: number;
}

export function VersionState({
  of: { published_version: published, latest_version: latest },
}: {
  of: Versioned;
}) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {published === null ? (
        <Badge tone="warn">not published</Badge>
      ) : (
        <Badge tone="good">version {published} published</Badge>
      )}
      {published !== null && latest > published && <Badge>version {latest} is newer</Badge>}
    </span>
  );
}

interface ActionsProps {
  readonly of: Versioned & { readonly version: number };
  readonly id: string;
  /** `template` or `workflow`. */
  readonly noun: string;
  /** Query keys to invalidate. */
  readonly keys: readonly string[];
  readonly publish: (version: number | null) => Promise<Versioned>;
  readonly remove: () => Promise<unknown>;
  readonly leadsTo: '/notifications/templates' | '/notifications/workflows';
  readonly onVersion: (version: number) => void;
  /** Shown when the published version is open. */
  readonly children?: ReactNode;
}

export function VersionActions(props: ActionsProps) {
  const { of, id, noun, keys, publish, onVersion, children } = props;
  const { version, published_version: published } = of;
  const { can } = usePermissions('notifications');
  const [deleting, setDeleting] = useState(false);
  const move = useAction(publish, {
    says: ({ published_version: now }) =>
      now === null ? `The ${noun} is not published any more` : `Published version ${now}`,
    reloads: keys,
  });
  return (
    <>
      <VersionSelect of={of} onVersion={onVersion} />
      {can('write') &&
        (version === published ? (
          <>
            {children}
            <Button busy={move.isPending} onClick={() => move.mutate(null)}>
              Unpublish
            </Button>
          </>
        ) : (
          <Button kind="primary" busy={move.isPending} onClick={() => move.mutate(version)}>
            Publish version {version}
          </Button>
        ))}
      {can('delete') && (
        <Button kind="danger" onClick={() => setDeleting(true)}>
          Delete {noun}
        </Button>
      )}
      {move.error && <Problem error={move.error} />}
      {deleting && (
        <DeleteDialog
          name={id}
          keys={keys}
          remove={props.remove}
          leadsTo={props.leadsTo}
          onClose={() => setDeleting(false)}
        >
          This deletes all versions. New sends with this {noun} fail; accepted notifications are still sent.
        </DeleteDialog>
      )}
    </>
  );
}

function VersionSelect({
  of: { version, latest_version: latest, published_version: published },
  onVersion,
}: Pick<ActionsProps, 'of' | 'onVersion'>) {
  return (
    <select
      aria-label="Version"
      value={version}
      onChange={(event) => onVersion(Number(event.target.value))}
      className="h-8 rounded-md border border-line-strong bg-surface px-2 text-sm"
    >
      {Array.from({ length: latest }, (_, index) => latest - index).map((one) => (
        <option key={one} value={one}>
          Version {one}
          {one === published && ', published'}
        </option>
      ))}
    </select>
  );
}
