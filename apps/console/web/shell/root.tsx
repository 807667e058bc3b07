// What stands around every page, and what is shown instead of one.
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Link, Outlet, type ErrorComponentProps } from '@tanstack/react-router';
import { buttonClass } from '../ui/button.tsx';
import { Notices } from '../ui/notice.tsx';
import { Page, Problem } from '../ui/page.tsx';

/** The policy of the page allows no style element (docs/console.md#content-security-policy). */
export function Root() {
  return (
    <CSPProvider disableStyleElements>
      <Outlet />
      <Notices />
    </CSPProvider>
  );
}

export function Missing() {
  return (
    <Page title="Nothing here">
      <p className="text-ink-2">
        There is no such page. It may have been removed, or the address is not complete.
      </p>
      <p>
        <Link to="/" className={buttonClass()}>
          To the start
        </Link>
      </p>
    </Page>
  );
}

export function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page failed">
      <Problem error={error} again={reset} />
    </Page>
  );
}
