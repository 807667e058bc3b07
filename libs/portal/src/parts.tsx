'use client';
// Small parts of the views.
import { useEffect, useRef, type ReactNode } from 'react';
import { explain, isExpired, useShared, type Loaded, type Place } from './context.ts';
import type { DeliveryStatus } from './localization.ts';

interface LoadingProps<Data> {
  readonly of: Loaded<Data>;
  readonly children: (data: Data) => ReactNode;
}

export function Loading<Data>({ of: { data, error, reload }, children }: LoadingProps<Data>) {
  const { words } = useShared();
  if (data !== undefined) return children(data);
  if (error === undefined) return <p role="status">{words.loading}</p>;
  return (
    <>
      <Problem error={error} />
      {!isExpired(error) && (
        <button type="button" onClick={reload}>
          {words.retryLoading}
        </button>
      )}
    </>
  );
}

export function Problem({ error }: { readonly error: unknown }) {
  const { words } = useShared();
  if (error === undefined) return null;
  return (
    <p role="alert" className="parley-portal-problem">
      {isExpired(error) ? words.expired : explain(error)}
    </p>
  );
}

interface HeadProps {
  readonly title: string;
  readonly backTo?: Place;
  readonly children?: ReactNode;
}

/** The heading of a view has the focus when the view opens, so that keys and readers follow. */
export function Head({ title, backTo, children }: HeadProps) {
  const { words, open } = useShared();
  const heading = useRef<HTMLHeadingElement>(null);
  const hasBack = backTo !== undefined;
  useEffect(() => {
    if (hasBack) heading.current?.focus();
  }, [hasBack]);
  return (
    <header className="parley-portal-head">
      {backTo && (
        <button type="button" onClick={() => open(backTo)}>
          {words.back}
        </button>
      )}
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      {children}
    </header>
  );
}

export function StatusBadge({ status }: { readonly status: DeliveryStatus }) {
  const { words } = useShared();
  const mood = status === 'delivered' ? 'good' : status === 'exhausted' ? 'bad' : 'calm';
  return <Badge mood={mood}>{words.statuses[status]}</Badge>;
}

export function Badge({
  mood,
  children,
}: {
  readonly mood: 'good' | 'bad' | 'calm';
  readonly children: ReactNode;
}) {
  return <span className={`parley-portal-badge parley-portal-${mood}`}>{children}</span>;
}

/** Scrolls by itself, and can be reached by keys. */
export function Code({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <pre className="parley-portal-code" role="region" aria-label={label} tabIndex={0} dir="ltr">
      {children}
    </pre>
  );
}
