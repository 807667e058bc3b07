// The publication log, with a button that rolls back to the previous publication.
import { useQuery } from '@tanstack/react-query';
import { Actor } from '../../organization/actor.tsx';
import { usePermissions } from '../../session/scopes.tsx';
import { useAction } from '../../ui/action.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { publicationsQuery, publish } from '../api.ts';

/** The previously published version; null if none. */
export function versionBefore(
  publications: readonly { readonly version: number | null }[],
  published: number | null,
): number | null {
  return publications.find(({ version }) => version !== null && version !== published)?.version ?? null;
}

interface PublicationsProps {
  readonly flowId: string;
  readonly published: number | null;
}

export function Publications({ flowId, published }: PublicationsProps) {
  const { data } = useQuery(publicationsQuery(flowId));
  const items = data?.items ?? [];
  const back = versionBefore(items, published);
  const { can } = usePermissions('flow-builder');
  const run = useAction(
    (version: number) =>
      publish(flowId, {
        version,
        reason: published === null ? 'Published again' : `Rolled back from version ${published}`,
      }),
    {
      says: (_, version) => `Published version ${version} again`,
      reloads: [['flow', flowId], 'flows'],
    },
  );
  return (
    <section aria-label="Publications" className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <h2 className="text-xs font-medium text-ink-2">Publications</h2>
        {back !== null && can('write') && (
          <Button
            className="ml-auto h-6! px-2! text-xs"
            title="Publishes this version immediately"
            busy={run.isPending}
            onClick={() => run.mutate(back)}
          >
            {published === null ? 'Publish' : 'Roll back to'} v{back}
          </Button>
        )}
      </div>
      {run.error !== null && <Problem error={run.error} />}
      {data !== undefined && items.length === 0 && <p className="text-ink-2">No publications yet.</p>}
      <ol className="flex flex-col divide-y divide-line">
        {items.map(({ version, published_at, published_by, reason, skip_tests }, at) => (
          <li key={at} className="py-1.5">
            <p className="flex gap-2">
              <span className="font-medium tabular-nums">
                {version === null ? 'unpublished' : `v${version}`}
              </span>
              <span className="text-xs text-ink-2">
                <Time at={published_at} />
              </span>
              {skip_tests && <Badge tone="warn">without tests</Badge>}
            </p>
            {reason !== undefined && <p className="break-words">{reason}</p>}
            <p className="truncate text-xs">
              <Actor service="flow-builder" id={published_by} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
