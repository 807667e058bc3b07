// The versions of a flow, and its publication log.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Actor } from '../../organization/actor.tsx';
import { usePermissions } from '../../session/scopes.tsx';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Loading, Problem } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { flowQuery, versionsQuery } from '../api.ts';
import { openUp } from '../page-state.ts';
import { Publications } from './publications.tsx';

const SMALL = buttonClass('quiet', 'h-6! px-1.5! text-xs');

export function VersionsPanel({ flowId }: { readonly flowId: string }) {
  const versions = useQuery(versionsQuery(flowId));
  const { can } = usePermissions('flow-builder');
  const published = useQuery(flowQuery(flowId)).data?.published_version ?? null;
  if (versions.error !== null)
    return <Problem error={versions.error} onRetry={() => void versions.refetch()} />;
  if (versions.data === undefined) return <Loading subject="the versions" />;
  return (
    <div className="flex flex-col gap-5">
      <section aria-label="Versions" className="flex flex-col">
        <div className="flex items-center">
          <h2 className="text-xs font-medium text-ink-2">Versions</h2>
          {published !== null && can('delete') && (
            <button
              type="button"
              className={`${SMALL} ml-auto`}
              onClick={() => openUp({ kind: 'unpublish' })}
            >
              Unpublish flow
            </button>
          )}
        </div>
        <ol className="flex flex-col divide-y divide-line">
          {versions.data.items.map(({ version, note, created_at, created_by, is_published }) => (
            <li key={version} className="group flex flex-col gap-0.5 py-1.5">
              <div className="flex items-center gap-2">
                <span className="font-medium tabular-nums">v{version}</span>
                {is_published && <Badge tone="good">published</Badge>}
                <span className="text-xs text-ink-2">
                  <Time at={created_at} />
                </span>
                <span className="ml-auto flex">
                  <Link
                    to="/flows/$flowId/callers"
                    params={{ flowId }}
                    search={{ version }}
                    className={SMALL}
                    aria-label={`Callers of version ${version}`}
                  >
                    Callers
                  </Link>
                  {version > 1 && (
                    <Link
                      to="/flows/$flowId/compare"
                      params={{ flowId }}
                      search={{ from: version - 1, to: version }}
                      className={SMALL}
                      aria-label={`Compare version ${version} with the previous one`}
                    >
                      Compare
                    </Link>
                  )}
                  {!is_published && can('write') && (
                    <button
                      type="button"
                      className={SMALL}
                      aria-label={`${published !== null && version < published ? 'Roll back to' : 'Publish'} version ${version}`}
                      onClick={() => openUp({ kind: 'publish', version })}
                    >
                      {published !== null && version < published ? 'Roll back' : 'Publish'}
                    </button>
                  )}
                </span>
              </div>
              {note !== undefined && <p className="break-words">{note}</p>}
              <p className="truncate text-xs">
                <Actor service="flow-builder" id={created_by} />
              </p>
            </li>
          ))}
        </ol>
      </section>
      <Publications flowId={flowId} published={published} />
    </div>
  );
}
