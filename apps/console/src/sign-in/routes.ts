// /session: the current session, sign-in by link, keys or identity provider, and sign-out.
import express, { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import {
  linkContent,
  operatorRequest,
  serviceKeys,
  type ListedSession,
  type OperatorRequest,
} from '@parley/server/console-access';
import { jsonPointer } from '@parley/envelopes';
import { ignoreFailure, type ServiceName } from '@parley/server/runtime';
import type { Deps } from '../deps.ts';
import { refuse, type Refused } from '../refusal.ts';
import { readIdentityScopes } from '../session/identity-scopes.ts';
import { credentialHeaders } from '../session/session.ts';
import { checkKeys, type Verdict } from '../session/check-keys.ts';
import { addIdentityRoutes } from './identity-routes.ts';
import type { Identity, IdentityTokens } from '../session/identity.ts';
import { LINK_LIVES_MS } from '../session/links.ts';

/** Room for three keys or a ticket with them. */
const BODY_BYTES_MAX = 8 * 1024;

const bodies = {
  ticket: z.strictObject({ ticket: z.string().max(BODY_BYTES_MAX) }),
  link: z.strictObject({ code: z.string().max(128) }),
  organization: z.strictObject({ id: z.string().max(128) }),
  keys: z.strictObject({
    keys: serviceKeys.refine((keys) => Object.keys(keys).length > 0, 'at least one key'),
  }),
};

export function sessionRoutes(deps: Deps): Router {
  const { addresses, clock, config, identity, links, log, sessions, tickets } = deps;
  const router = Router();
  router.use(express.json({ limit: BODY_BYTES_MAX }));

  router.get('/', async (request, response) => {
    const session = await sessions.read(request);
    const known = Object.keys(addresses) as ServiceName[];
    response.json({
      with: session?.with ?? null,
      person: session?.with === 'identity' ? session.person : null,
      organization: session?.with === 'identity' ? session.organization : null,
      organizations: session?.with === 'identity' ? session.organizations : [],
      services: known.filter((name) => credentialHeaders(session, name) !== null),
      scopes: session?.with === 'identity' ? readIdentityScopes(session, known, config.IDENTITY_CLAIMS) : {},
      services_here: session === null ? [] : known,
      queue_dashboards: session === null ? {} : config.QUEUE_DASHBOARD_URLS,
      expires_at: session === null ? null : new Date(session.endsAtMs).toISOString(),
      identity_provider: identity === null ? null : config.OIDC_NAME,
    });
  });

  // 200 with an address where the browser signs out at the identity provider, or 204.
  router.delete('/', async (request, response) => {
    const session = await sessions.read(request);
    await sessions.end(request, response);
    const address = session?.with === 'identity' ? await signOutAt(identity!, session, log) : null;
    if (address === null) return void response.status(204).end();
    response.json({ continue_at: address });
  });

  router.put('/organization', async (request, response) => {
    const body = parsed(bodies.organization, request, response);
    if (!body) return;
    if (!(await sessions.chooseOrganization(request, body.id)))
      return refuse(response, 'not_signed_in', 'Your account does not have this organisation.');
    response.status(204).end();
  });

  router.post('/links', async (request, response) => {
    const body = parsed(bodies.ticket, request, response);
    if (!body) return;
    const asked = await tickets.open('link', linkContent, body.ticket);
    if (asked === null)
      return refuse(
        response,
        'key_refused',
        'The ticket was not sealed under this CONSOLE_KEY. Use the key of this console.',
      );
    const code = await links.make(asked.keys);
    const url = new URL(`/sign-in#${code}`, config.PUBLIC_URL);
    log.info({ label: asked.label, services: Object.keys(asked.keys) }, 'link.made');
    response.status(201).json({ url, expires_at: new Date(clock() + LINK_LIVES_MS).toISOString() });
  });

  router.post('/sessions', async (request, response) => {
    const body = parsed(bodies.ticket, request, response);
    if (!body) return;
    const asked = await tickets.open('operator', operatorRequest, body.ticket);
    if (asked === null)
      return refuse(
        response,
        'key_refused',
        'The ticket was not sealed under this CONSOLE_KEY. Use the key of this console.',
      );
    const chosen = chosenBy(asked);
    const listed = asked.action === 'list' ? await sessions.list() : await sessions.endThose(chosen);
    if (asked.action === 'end') log.info({ ended: listed.length }, 'sessions.ended');
    response.json({ sessions: listed.filter(chosen) });
  });

  router.post('/link', async (request, response) => {
    const body = parsed(bodies.link, request, response);
    if (!body) return;
    const keys = await links.redeem(body.code);
    if (keys === null)
      return refuse(response, 'link_used', 'This link was used or has expired. Ask for a new one.');
    await sessions.begin(request, { with: 'keys', keys });
    log.info({ services: Object.keys(keys) }, 'session.begun');
    response.status(204).end();
  });

  router.post('/keys', async (request, response) => {
    const body = parsed(bodies.keys, request, response);
    if (!body) return;
    const verdicts = await checkKeys(body.keys, addresses);
    const wrong = verdicts.filter(([, verdict]) => verdict !== 'taken');
    if (wrong.length > 0) {
      const code = (['service_unreachable', 'too_many'] as const).find((code) =>
        wrong.some(([, verdict]) => REFUSED[verdict] === code),
      );
      if (code === 'too_many') response.set('retry-after', RETRY_SECONDS);
      const words = wrong.map(([service, verdict]) => WORDS[verdict](service)).join(' ');
      return refuse(response, code ?? 'key_refused', words);
    }
    // Adding a key keeps the sessions of other services.
    const before = await sessions.read(request);
    const keys = { ...(before?.with === 'keys' ? before.keys : {}), ...body.keys };
    await sessions.begin(request, { with: 'keys', keys });
    log.info({ services: Object.keys(keys) }, 'session.begun');
    response.status(204).end();
  });

  if (identity !== null) addIdentityRoutes(router, deps, identity);
  return router;
}

/** The session has ended already, so a provider that does not answer only leaves its own behind. */
async function signOutAt(
  identity: Identity,
  tokens: IdentityTokens,
  log: Deps['log'],
): Promise<string | null> {
  void ignoreFailure(identity.revoke(tokens), 'the refresh token ends by itself', log);
  return identity.signOutUrl().catch((error: unknown) => {
    log.warn({ err: error }, 'identity.unreachable');
    return null;
  });
}

/** The window in which a service counts rejected credentials. */
const RETRY_SECONDS = '60';
const REFUSED: { readonly [verdict in Verdict]?: Refused } = {
  limited: 'too_many',
  unreachable: 'service_unreachable',
};
const WORDS: Readonly<Record<Verdict, (service: string) => string>> = {
  taken: () => '',
  limited: (service) =>
    `${service} cannot check this key now, because it has rejected too many. Try again in a minute.`,
  refused: (service) => `${service} does not know this key. It is misspelt, revoked or expired.`,
  forbidden: (service) => `${service} knows this key, but it has no permissions. Use another key.`,
  absent: (service) => `This console is not connected to ${service}.`,
  unreachable: (service) => `${service} cannot check this key at the moment. Try again in a minute.`,
};

function chosenBy({ which }: OperatorRequest): (session: ListedSession) => boolean {
  if ('id' in which) return ({ id }) => id === which.id;
  return 'person' in which ? ({ person }) => person === which.person : () => true;
}

function parsed<Body>(schema: z.ZodType<Body>, request: Request, response: Response): Body | undefined {
  const read = schema.safeParse(request.body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  refuse(response, 'invalid_request', `${jsonPointer(issue?.path ?? []) || 'body'}: ${issue?.message}`);
  return undefined;
}
