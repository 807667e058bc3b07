// The layout of a page: heading, sections, and the empty, loading and error states.
import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { ApiError } from '../api/error.ts';
import { Button, buttonClass, Spinner } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

interface PageProps {
  readonly title: string;
  /** Next to the title: a state, an id. */
  readonly titleExtra?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, titleExtra, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
  return (
    <div className="mx-auto flex max-w-6xl flex-col gap-5 p-4 sm:p-6">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-lg leading-8 font-semibold break-words">{title}</h1>
        {titleExtra}
        <div className="ml-auto flex flex-wrap gap-2">{actions}</div>
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="flex flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <h2 className="font-semibold">{title}</h2>
        <div className="ml-auto flex gap-2">{actions}</div>
      </div>
      {children}
    </section>
  );
}

/** Keeps a column in view while a longer one scrolls. The margin leaves room for focus outlines. */
export const STICKY_COLUMN =
  '-m-1 min-w-0 p-1 lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)] lg:overflow-y-auto';

/** The empty state of a list: what the list is for, and the next step. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-12 text-center">
      <Icon name={icon} size={24} className="text-ink-2" />
      <p className="font-medium">{title}</p>
      {children && <div className="flex max-w-md flex-col items-center gap-3 text-ink-2">{children}</div>}
    </div>
  );
}

export function Loading({ subject }: { subject: string }) {
  return (
    <p role="status" className="flex items-center gap-2 py-8 text-ink-2">
      <Spinner /> Loading {subject} …
    </p>
  );
}

/** Codes that are no failure and that a retry does not change. */
const FINAL_CODES = ['not_signed_in', 'service_absent'];

/** An error with the service's message, the invalid members and the request id. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : undefined;
  const isFinal = known !== undefined && FINAL_CODES.includes(known.code);
  return (
    <div
      role="alert"
      className={`flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg px-4 py-3 ${isFinal ? 'bg-surface-3' : 'bg-bad-soft'}`}
    >
      <Icon name="warning" className={`mt-0.5 ${isFinal ? 'text-ink-2' : 'text-bad'}`} />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          {known?.status === 403 ? `Not allowed: ${known.message}` : toMessage(error)}
        </p>
        {known && known.fields.length > 0 && (
          <ul className="mt-1 list-disc pl-5">
            {known.fields.map(({ path, message }) => (
              <li key={path + message}>
                <code className="font-mono text-xs">{path || 'body'}</code>: {message}
              </li>
            ))}
          </ul>
        )}
        {known?.requestId && <p className="mt-1 font-mono text-xs text-ink-2">request {known.requestId}</p>}
      </div>
      {known?.code === 'not_signed_in' ? (
        <Link
          to="/sign-in"
          search={{ next: `${location.pathname}${location.search}` }}
          className={buttonClass()}
        >
          Sign in
        </Link>
      ) : (
        onRetry && !isFinal && known?.status !== 403 && <Button onClick={onRetry}>Try again</Button>
      )}
    </div>
  );
}

export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong. Reload the page and try again.';
}
