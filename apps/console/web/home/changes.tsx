// What changed last, from the audit logs of all services.
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SERVICES } from '../api/clients.ts';
import { isForbiddenError } from '../api/error.ts';
import { Actor } from '../organization/actor.tsx';
import { auditQuery } from '../organization/api.ts';
import { Target } from '../organization/audit-target.tsx';
import { auditIcon, describeAction } from '../organization/audit-words.ts';
import { useAccess } from '../session/access.tsx';
import { useMayOpen } from '../session/scopes.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { Time, toDate } from '../ui/time.tsx';

const SHOWN_MAX = 6;

/** Hidden from people who may not read the audit log. */
export function Changes() {
  const accessTo = useAccess();
  const mayOpen = useMayOpen();
  const services = SERVICES.filter(
    (service) => accessTo(service) === 'signed_in' && mayOpen({ service, scope: 'admin' }) === true,
  );
  const logs = useQueries({
    queries: services.map((service) => auditQuery(service, { limit: SHOWN_MAX })),
  });
  if (logs.every(({ error }) => isForbiddenError(error))) return null;
  const failed = logs.find(({ error }) => error !== null && !isForbiddenError(error));
  const entries = logs
    .flatMap(({ data }, at) => (data?.items ?? []).map((entry) => ({ service: services[at]!, entry })))
    .sort((a, b) => toDate(b.entry.at).getTime() - toDate(a.entry.at).getTime())
    .slice(0, SHOWN_MAX);
  return (
    <Section
      title="What changed"
      actions={
        <Link to="/organization/audit-log" className={rowLink}>
          Audit log
        </Link>
      }
    >
      {failed && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
      {logs.some(({ isLoading }) => isLoading) && <Loading subject="changes" />}
      {entries.length === 0 && logs.every(({ isLoading }) => !isLoading) && !failed && (
        <p className="text-ink-2">Nothing has changed in the last year.</p>
      )}
      {entries.length > 0 && (
        <ul aria-label="What changed" className="divide-y divide-line rounded-lg border border-line">
          {entries.map(({ service, entry }) => (
            <li key={`${service} ${entry.id}`} className="flex items-start gap-2.5 px-3 py-2">
              <Icon name={auditIcon(entry.action)} className="mt-0.5 text-ink-2" />
              <span className="min-w-0 flex-1 wrap-anywhere">
                <Actor service={service} id={entry.actor.id} /> {describeAction(entry.action)}{' '}
                <Target service={service} entry={entry} />
              </span>
              <span className="text-xs text-ink-2">
                <Time at={entry.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
