// The organisation's plan, usage and health in each service.
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SERVICES, type Service } from '../api/clients.ts';
import { ApiError } from '../api/error.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { useAccess, type Access } from '../session/access.tsx';
import { sessionQuery } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loading, Page, Problem } from '../ui/page.tsx';
import { rowLink } from '../ui/link.ts';
import { organizationQuery } from '../api/organization.ts';
import { healthQuery } from './api.ts';

export function OrganizationPage() {
  const accessTo = useAccess();
  const answers = useQueries({
    queries: SERVICES.map((service) => ({
      ...organizationQuery(service),
      enabled: accessTo(service) === 'signed_in',
    })),
  });
  const known = answers.find(({ data }) => data !== undefined)?.data;
  return (
    <Page
      title={known?.name ?? known?.id ?? 'Organisation'}
      titleExtra={known && <code className="font-mono text-xs text-ink-2">{known.id}</code>}
      actions={
        <>
          <Link to="/models" className={buttonClass()}>
            Models
          </Link>
          <Link to="/organization/audit-log" className={buttonClass()}>
            Audit log
          </Link>
        </>
      }
    >
      <div className="grid gap-4 lg:grid-cols-3">
        {SERVICES.map((service) => (
          <ServiceCard key={service} service={service} access={accessTo(service)} />
        ))}
      </div>
    </Page>
  );
}

function ServiceCard({ service, access }: { service: Service; access: Access }) {
  const { data, error, isLoading, refetch } = useQuery({
    ...organizationQuery(service),
    enabled: access === 'signed_in',
  });
  return (
    <section className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <div className="flex items-center gap-2">
        <h2 className="flex-1 font-semibold">{SERVICE_LABELS[service]}</h2>
        {access !== 'absent' && <Health service={service} />}
      </div>
      {access !== 'signed_in' && (
        <p className="text-ink-2">
          {access === 'absent'
            ? 'This console is not connected to it.'
            : 'You are not signed in to this service.'}
        </p>
      )}
      {isLoading && <Loading subject="the plan" />}
      {error && !(error instanceof ApiError && error.status === 502) && (
        <Problem error={error} onRetry={() => void refetch()} />
      )}
      {data && (
        <>
          <p>
            Plan <Badge tone="accent">{data.plan}</Badge>
          </p>
          <dl className="flex flex-col gap-2">
            {Object.entries(data.limits).map(([name, limit]) => (
              <Limit
                key={name}
                name={name}
                limit={limit}
                used={(data.used as Record<string, number | undefined>)[name]}
              />
            ))}
          </dl>
        </>
      )}
      {access !== 'absent' && <Links service={service} signedIn={access === 'signed_in'} />}
    </section>
  );
}

/**
 * The API reference is at this origin, the queue dashboard at an address that the operator
 * configures.
 */
function Links({ service, signedIn }: { service: Service; signedIn: boolean }) {
  const { data: session } = useQuery(sessionQuery);
  const queues = session?.queue_dashboards[service];
  const links = [
    ...(signedIn
      ? [
          ['API reference', `/api/${service}/docs`],
          ['OpenAPI document', `/api/${service}/openapi.json`],
        ]
      : []),
    ...(queues === undefined ? [] : [['Queue dashboard', queues]]),
  ];
  return (
    <div className="mt-auto flex flex-wrap gap-x-4 gap-y-1 empty:hidden">
      {links.map(([words, href]) => (
        <a
          key={words}
          href={href}
          target="_blank"
          rel="noreferrer"
          className={`inline-flex items-center gap-1 ${rowLink}`}
        >
          {words}
          <span className="sr-only"> of the {SERVICE_LABELS[service]}, in a new tab</span>
          <Icon name="external" size={12} />
        </a>
      ))}
    </div>
  );
}

function Health({ service }: { service: Service }) {
  const { data, isPending } = useQuery(healthQuery(service));
  if (isPending) return null;
  if (!data) return <Badge tone="bad">unreachable</Badge>;
  if (!data.store.ready) {
    return (
      <Badge tone="warn" title="The service cannot reach its database">
        not ready
      </Badge>
    );
  }
  if (data.classifier?.ready === false) {
    return (
      <Badge tone="warn" title={data.classifier.message ?? 'The model provider does not work'}>
        models fail
      </Badge>
    );
  }
  return (
    <Badge tone="good" title={`Version ${data.version}`}>
      healthy
    </Badge>
  );
}

const number = new Intl.NumberFormat('en');
const gigabytes = new Intl.NumberFormat('en', { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 2 });

/** The bar appears when half of a limit is used. */
const SHARE_SHOWN_FROM = 0.5;

function Limit({ name, limit, used }: { name: string; limit: number | null; used: number | undefined }) {
  const share = limit !== null && limit > 0 && used !== undefined ? Math.min(1, used / limit) : 0;
  const isStorage = name === 'storage_bytes';
  const format = (value: number) => (isStorage ? gigabytes.format(value / 1e9) : number.format(value));
  return (
    <div className="grid grid-cols-[1fr_auto] gap-x-2">
      <dt className="text-ink-2">
        {isStorage ? 'storage' : name.replaceAll('_', ' ').replace(/^api\b/, 'API')}
      </dt>
      <dd className="contents">
        <span className="tabular-nums">
          {used !== undefined && `${format(used)} of `}
          {limit === null ? 'unlimited' : format(limit)}
        </span>
        {share >= SHARE_SHOWN_FROM && (
          <span aria-hidden="true" className="col-span-2 mt-1 h-1 overflow-hidden rounded bg-surface-3">
            <span
              className={`block h-full ${share > 0.9 ? 'bg-bad' : 'bg-accent'}`}
              style={{ width: `${share * 100}%` }}
            />
          </span>
        )}
      </dd>
    </div>
  );
}
