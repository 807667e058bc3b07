// Whether there is anything of a service to see, known before it is asked: what cannot be answered is not asked.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Service } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { buttonClass } from '../ui/button.tsx';
import { Empty } from '../ui/page.tsx';
import type { IconName } from '../ui/icon.tsx';
import { sessionQuery } from './session.ts';

/** `absent`: this console was set up without it. */
export type Access = 'signed_in' | 'not_signed_in' | 'absent';

export function useAccess(): (service: Service) => Access {
  const { data: session } = useQuery(sessionQuery);
  return (service) => {
    if (session === undefined || session.services.includes(service)) return 'signed_in';
    return session.services_here.includes(service) ? 'not_signed_in' : 'absent';
  };
}

interface NoAccessProps {
  readonly service: Service;
  readonly access: Exclude<Access, 'signed_in'>;
  readonly icon: IconName;
}

export function NoAccess({ service, access, icon }: NoAccessProps) {
  const label = SERVICE_LABELS[service];
  return access === 'absent' ? (
    <Empty icon={icon} title={`There is no ${label} here`}>
      This console was set up without it. The rest of it works.
    </Empty>
  ) : (
    <Empty icon={icon} title={`You are not signed in to ${label}.`}>
      <p>A key of this service opens it, beside those that you have given.</p>
      <Link
        to="/sign-in"
        search={{ next: `${location.pathname}${location.search}` }}
        className={buttonClass()}
      >
        Sign in
      </Link>
    </Empty>
  );
}
