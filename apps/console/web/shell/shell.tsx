// The frame of all pages: the menu (behind a button on phones) and the page.
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { OpenAlertCount } from '../alerts/open-count.tsx';
import { Icon } from '../ui/icon.tsx';
import { IconButton } from '../ui/button.tsx';
import { Loading, Page } from '../ui/page.tsx';
import { NoAccess, NotAllowed, useAccess } from '../session/access.tsx';
import { useMayOpen } from '../session/scopes.tsx';
import { SessionEnd } from '../session/session-end.tsx';
import { sessionQuery } from '../session/session.ts';
import { Account } from './account.tsx';
import { ChooseOrganization, mustChoose } from './choose-organization.tsx';
import { isExact, PLACES } from './navigation.ts';
import { Search } from './search.tsx';

export function Shell() {
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <header className="flex items-center gap-1 border-b border-line bg-surface-2 px-2 py-1 md:hidden">
        <MenuButton />
        <Brand />
        <div className="ml-auto">
          <Search compact />
        </div>
      </header>
      <aside className="hidden w-52 shrink-0 flex-col border-r border-line bg-surface-2 md:flex">
        <div className="px-4 pt-3 pb-2">
          <Brand />
        </div>
        <div className="px-2 pb-2">
          <Search />
        </div>
        <Menu />
        <Account />
      </aside>
      <main id="main" tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-none">
        <SessionEnd />
        <PageOrNoAccess />
      </main>
    </div>
  );
}

/** The page, or a notice when its service has no credential, or one that may not open it. */
function PageOrNoAccess() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const accessTo = useAccess();
  const mayOpen = useMayOpen();
  const { data: session } = useQuery(sessionQuery);
  const place = PLACES.flatMap(({ places }) => places).find(
    ({ to }) => path === to || path.startsWith(`${to}/`),
  );
  if (session && mustChoose(session)) return <ChooseOrganization organizations={session.organizations} />;
  if (place === undefined) return <Outlet />;
  const { label, icon, service, scope } = place;
  const access = service === undefined ? 'signed_in' : accessTo(service);
  if (service !== undefined && access !== 'signed_in')
    return (
      <Page title={label}>
        <NoAccess service={service} access={access} icon={icon} />
      </Page>
    );
  const isOpen = mayOpen(place);
  if (scope === undefined || isOpen) return <Outlet />;
  return (
    <Page title={label}>
      {isOpen === false ? <NotAllowed scope={scope} icon={icon} /> : <Loading subject="the page" />}
    </Page>
  );
}

function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 py-1 font-semibold tracking-tight">
      <img src="/mark.svg" alt="" width={20} height={20} /> Parley
    </Link>
  );
}

function Menu() {
  const accessTo = useAccess();
  const mayOpen = useMayOpen();
  const groups = PLACES.map(({ group, places }) => ({
    group,
    places: places.filter((place) => mayOpen(place) !== false),
  }));
  return (
    <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-2 py-1">
      {groups
        .filter(({ places }) => places.length > 0)
        .map(({ group, places }) => (
          <div key={group} className="flex flex-col">
            {group !== '' && <p className="px-2 py-1 text-xs text-ink-2">{group}</p>}
            {places.map(({ to, label, icon, service }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: isExact(to) }}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 text-ink-2 hover:bg-surface-3 hover:text-ink"
                activeProps={{ className: 'bg-surface-3 text-ink! font-medium' }}
              >
                <Icon name={icon} />
                {label}
                {to === '/alerts' && <OpenAlertCount />}
                {service !== undefined && accessTo(service) !== 'signed_in' && (
                  <span className="ml-auto text-xs font-normal whitespace-nowrap text-ink-2">
                    {accessTo(service) === 'absent' ? 'not set up' : 'no key'}
                  </span>
                )}
              </Link>
            ))}
          </div>
        ))}
    </nav>
  );
}

/** The menu on a phone. Navigating closes it. */
function MenuButton() {
  const place = useRouterState({ select: (state) => state.location.pathname });
  const [openAt, setOpenAt] = useState<string | null>(null);
  return (
    <Dialog.Root open={openAt === place} onOpenChange={(open) => setOpenAt(open ? place : null)}>
      <Dialog.Trigger render={<IconButton label="Menu" icon="menu" />} />
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-r border-line bg-surface-2 text-ink outline-none">
          <div className="flex items-center justify-between py-1 pr-2 pl-4">
            <Dialog.Title className="font-semibold">Parley</Dialog.Title>
            <Dialog.Close render={<IconButton label="Close" icon="close" />} />
          </div>
          <Menu />
          <Account />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
