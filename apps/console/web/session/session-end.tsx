// Warns before the session ends, and when it has ended. The page stays as it is, so a person who
// signs in again in a small window goes on with what they typed (docs/console.md#sessions).
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { buttonClass } from '../ui/button.tsx';
import { sessionQuery, type Session } from './session.ts';

const WARN_BEFORE_MS = 2 * 60_000;
const CHANNEL = 'parley-session';
/** Of the page that the small window ends at. */
export const SIGNED_IN_PATH = '/signed-in';
const SIGN_IN = `/sign-in?next=${encodeURIComponent(SIGNED_IN_PATH)}`;

export function SessionEnd() {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const isNear = useNearEnd(session?.expires_at ?? null);
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = () => void goOn(queryClient);
    return () => channel.close();
  }, [queryClient]);
  if (!session || (!session.ended && !isNear)) return null;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-surface-3 px-4 py-2"
    >
      <p className="min-w-0 flex-1">
        {session.ended
          ? 'Your session has ended. What you typed is still here: sign in again, then go on.'
          : 'Your session ends in less than two minutes. Sign in again to go on; what you typed stays here.'}
      </p>
      <a href={SIGN_IN} target="_blank" rel="opener" className={buttonClass('primary')} onClick={openSmall}>
        Sign in again
      </a>
    </div>
  );
}

/** A small window, or a tab where the browser refuses one. */
function openSmall(event: { preventDefault(): void }): void {
  if (window.open(SIGN_IN, 'parley-sign-in', 'popup,width=480,height=760')) event.preventDefault();
}

/** Two minutes before the end until the next sign-in. Reads the session again when it is over. */
function useNearEnd(expiresAt: string | null): boolean {
  const queryClient = useQueryClient();
  const [nearEndOf, setNearEndOf] = useState<string | null>(null);
  useEffect(() => {
    if (expiresAt === null) return;
    const leftMs = Date.parse(expiresAt) - Date.now();
    const timers = [
      setTimeout(() => setNearEndOf(expiresAt), leftMs - WARN_BEFORE_MS),
      setTimeout(() => void queryClient.invalidateQueries(sessionQuery), leftMs + 1_000),
    ];
    return () => timers.forEach(clearTimeout);
  }, [expiresAt, queryClient]);
  return expiresAt !== null && nearEndOf === expiresAt;
}

/** The small window has signed in. Another account must not go on with this page. */
async function goOn(queryClient: QueryClient): Promise<void> {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  const now = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  const isSame = before && identityOf(before) === identityOf(now);
  if (isSame) await queryClient.invalidateQueries();
  else location.assign('/');
}

const identityOf = ({ with: how, person, organizations }: Session) =>
  JSON.stringify([how, person, organizations]);

/** The page that the small window ends at. */
export function SignedIn() {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage('signed in');
    channel.close();
    window.close();
  }, []);
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <p role="status">You are signed in. Close this window and go on where you were.</p>
    </main>
  );
}
