// Sign-in by link, by pasted keys or at the identity provider. The link's code is in the fragment,
// which no server receives.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { SERVICES, type Service } from '../api/clients.ts';
import { useAction } from '../ui/action.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Loading, Problem } from '../ui/page.tsx';
import { sessionQuery, signInWithKeys, signInWithLink } from '../session/session.ts';

const PRODUCTS: Readonly<Record<Service, { label: string; prefix: string }>> = {
  'flow-builder': { label: 'Flow builder', prefix: 'fb_…' },
  'voice-api': { label: 'Voice API', prefix: 'va_…' },
  notifications: { label: 'Notifications', prefix: 'nt_…' },
};

const PROBLEMS = {
  provider: 'The identity provider cannot be reached. Try again in a minute.',
  expired: 'Sign-in took too long or was started in another window. Try again.',
  refused: 'The identity provider did not sign you in. Try again or use another account.',
  services: 'Parley cannot check your account at the moment. Try again in a minute.',
  organization:
    'Your account belongs to no organisation. The identity provider must send it as `organization_id`, or as the claim that IDENTITY_CLAIMS of the services names. Ask your administrator.',
  lifetime:
    'Your identity token is valid for more than 24 hours, which Parley does not accept. Ask your administrator for a shorter lifetime.',
  clock:
    'The clock of the identity provider is more than 30 seconds ahead of Parley. Ask your administrator to correct it.',
  rights:
    'Your account has no permissions. The identity provider must send `scope` with read, write, execute or admin. Ask your administrator.',
  token:
    'No Parley service accepts your identity token. IDENTITY_ISSUER and IDENTITY_AUDIENCE of the services must name this identity provider and this console. Ask your administrator.',
} as const;

/** Problems that another account at the same provider may solve. */
const ACCOUNT_PROBLEMS: ReadonlySet<keyof typeof PROBLEMS> = new Set([
  'refused',
  'organization',
  'rights',
  'token',
]);

export function SignIn() {
  const { next = '/', problem } = useSearch({ from: '/sign-in' });
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const router = useRouter();
  const signedIn = {
    says: 'You are signed in',
    isShown: true,
    then: async () => {
      queryClient.clear();
      await router.navigate({ href: next, replace: true });
    },
  };
  const byLink = useAction(signInWithLink, signedIn);
  const byKeys = useAction(signInWithKeys, signedIn);
  const [keys, setKeys] = useState<Partial<Record<Service, string>>>({});

  const redeemed = useRef(false); // a link works once
  const { mutate: redeem } = byLink;
  useEffect(() => {
    const code = location.hash.slice(1);
    if (code === '' || redeemed.current) return;
    redeemed.current = true;
    history.replaceState(history.state, '', `${location.pathname}${location.search}`); // keep the code out of the browser's history
    redeem(code);
  }, [redeem]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    byKeys.mutate(Object.fromEntries(Object.entries(keys).filter(([, key]) => key.trim() !== '')));
  };
  return (
    <main className="flex min-h-full items-center justify-center bg-surface-2 p-4">
      <div className="flex w-full max-w-sm flex-col gap-5 rounded-xl border border-line bg-surface p-6">
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <img src="/mark.svg" alt="" width={24} height={24} /> Sign in to Parley
        </h1>
        {byLink.isPending && <Loading subject="your session" />}
        {byLink.error && <Problem error={byLink.error} />}
        {problem && <Problem error={new Error(PROBLEMS[problem])} />}
        {session?.identity_provider && (
          <a href={`/session/identity?next=${encodeURIComponent(next)}`} className={buttonClass('primary')}>
            Continue with {session.identity_provider}
          </a>
        )}
        {session?.identity_provider && problem && ACCOUNT_PROBLEMS.has(problem) && (
          <a
            href={`/session/identity?another=1&next=${encodeURIComponent(next)}`}
            className={buttonClass('plain')}
          >
            Sign in with another account
          </a>
        )}
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <p className="text-ink-2">
            Paste your API keys. One is enough; pages of the other services tell you which key they need.
          </p>
          {SERVICES.map((service) => (
            <TextField
              key={service}
              label={PRODUCTS[service].label}
              type="password"
              placeholder={PRODUCTS[service].prefix}
              spellCheck={false}
              value={keys[service] ?? ''}
              onChange={(event) => setKeys({ ...keys, [service]: event.target.value })}
            />
          ))}
          {byKeys.error && <Problem error={byKeys.error} />}
          <Button
            type="submit"
            kind={session?.identity_provider ? 'plain' : 'primary'}
            busy={byKeys.isPending}
          >
            Sign in
          </Button>
        </form>
        <p className="text-xs text-ink-2">
          On this machine, <code className="font-mono">npm start</code> prints a sign-in link. Operators
          create one with <code className="font-mono">parley console link</code>.
        </p>
      </div>
    </main>
  );
}
