// The frame of all pages: the menu (behind a button on phones) and the page.
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Loading, Page } from '../ui/page.tsx';
import { NoAccess, NotAllowed, useAccess } from '../session/access.tsx';
import { useMayOpen } from '../session/scopes.tsx';
import { SessionEnd } from '../session/session-end.tsx';
import { sessionQuery } from '../session/session.ts';
import { Account } from './account.tsx';
import { ChooseOrganization, mustChoose } from './choose-organization.tsx';
import { LateDialog } from './late-dialog.tsx';
import { Menu } from './menu.tsx';
import { PLACES } from './navigation.ts';
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
      <aside className="hidden w-56 shrink-0 flex-col border-r border-line bg-surface-2 md:flex">
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

/** The menu on a phone. Navigating closes it. */
function MenuButton() {
  const place = useRouterState({ select: (state) => state.location.pathname });
  const [openAt, setOpenAt] = useState<string | null>(null);
  const open = openAt === place;
  return (
    <>
      <IconButton
        label="Menu"
        icon="menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpenAt(place)}
      />
      <LateDialog which="menu" open={open} onOpenChange={(next) => setOpenAt(next ? place : null)} />
    </>
  );
}
