// The outermost component, and the pages for missing addresses and failures.
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Link, Outlet, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { keepFocus } from '../ui/focus.ts';
import { Notices } from '../ui/notice.tsx';
import { Page, Problem } from '../ui/page.tsx';

/** The content security policy forbids style elements (docs/console.md#content-security-policy). */
export function Root() {
  useEffect(keepFocus, []);
  return (
    <CSPProvider disableStyleElements>
      <Outlet />
      <Notices />
    </CSPProvider>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <p className="text-ink-2">
        The page may have been removed, or the address may be incomplete. Check the address.
      </p>
      <p>
        <Link to="/" className={buttonClass()}>
          Go to the start page
        </Link>
      </p>
    </Page>
  );
}

export function LoadError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page could not be loaded">
      <Problem error={error} onRetry={reset} />
    </Page>
  );
}
