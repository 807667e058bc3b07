// The foot of the menu: organisation, signed-in person, theme and sign-out.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { organizationQuery } from '../api/organization.ts';
import { IconButton } from '../ui/button.tsx';
import { sessionQuery, signOut } from '../session/session.ts';
import { OrganizationSwitch } from './choose-organization.tsx';
import { chooseTheme, useTheme } from '../ui/theme.ts';

export function Account() {
  const { data: session } = useQuery(sessionQuery);
  // Every service knows the organisation, so ask the first one with a credential.
  const service = session?.services[0];
  const { data: organization } = useQuery({
    ...organizationQuery(service ?? 'flow-builder'),
    enabled: service !== undefined,
    staleTime: 300_000,
  });
  const theme = useTheme();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const endSession = async () => {
    const continueAt = await signOut();
    queryClient.clear();
    if (continueAt === null) await navigate({ to: '/sign-in' });
    else location.assign(continueAt); // the identity provider returns to the sign-in page
  };
  return (
    <>
      {session && <OrganizationSwitch {...session} />}
      <div className="flex items-center gap-1 border-t border-line py-2 pr-2 pl-4">
        <Link to="/organization" className="min-w-0 flex-1 rounded leading-tight hover:text-accent">
          <span className="block truncate font-medium">
            {organization?.name ?? organization?.id ?? 'Organisation'}
          </span>
          <span className="block truncate text-xs text-ink-2">
            {session?.person ?? 'Signed in with API keys'}
          </span>
        </Link>
        <IconButton
          label={theme === 'dark' ? 'Use light theme' : 'Use dark theme'}
          icon={theme === 'dark' ? 'sun' : 'moon'}
          onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
        />
        <IconButton label="Sign out" icon="out" onClick={() => void endSession()} />
      </div>
    </>
  );
}
