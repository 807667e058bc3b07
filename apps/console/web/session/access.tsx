// Whether the person has a credential for a service. Pages check this before they send a request.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Service } from '../api/clients.ts';
import { SERVICE_LABELS } from '../api/services.ts';
import { buttonClass } from '../ui/button.tsx';
import { Empty } from '../ui/page.tsx';
import type { IconName } from '../ui/icon.tsx';
import type { Scope } from './scopes.tsx';
import { sessionQuery } from './session.ts';

/** `absent`: this console is not configured for the service. */
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
    <Empty icon={icon} title={`${label} is not set up`}>
      This console is not connected to {label}. Ask your operator to connect it.
    </Empty>
  ) : (
    <Empty icon={icon} title={`You are not signed in to ${label}`}>
      <p>Add an API key of {label} to open this page. Your other keys stay active.</p>
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

interface NotAllowedProps {
  readonly scope: Scope;
  readonly icon: IconName;
}

/** In place of a page or a tab that the session may not open. */
export function NotAllowed({ scope, icon }: NotAllowedProps) {
  const isPerson = useQuery(sessionQuery).data?.with === 'identity';
  return (
    <Empty icon={icon} title={isPerson ? 'You may not open this page' : 'Your key may not open this page'}>
      <p>
        {isPerson ? `It needs the scope “${scope}”. ` : `It needs an API key with the scope “${scope}”. `}
        Ask an administrator of your organisation for {isPerson ? 'it' : 'one'}.
      </p>
      {!isPerson && (
        <Link
          to="/sign-in"
          search={{ next: `${location.pathname}${location.search}` }}
          className={buttonClass()}
        >
          Sign in with another key
        </Link>
      )}
    </Empty>
  );
}
