// What every answer of the console says to the browser, and which requests of a browser it takes.
import type { Handler } from 'express';
import { refuse } from '../refusal.ts';

/**
 * Scripts, styles, workers and requests of this origin and no other, nothing inline, no eval
 * (docs/console.md#content-security-policy).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:", // the marks of the JSON editor are pictures in its style sheet
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** On every file and not only the page: a worker obeys the policy of its own answer. */
export const secureHeaders: Handler = (_request, response, next) => {
  response.set({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
  });
  next();
};

/** Answers about a person are kept by nobody. */
export const neverCached: Handler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};

const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * A write comes from a page of this very origin, or from a program, which sends neither header. The
 * cookie is SameSite=Strict already; this also refuses another port and another name of the same
 * site.
 */
export const sameOriginWrites: Handler = (request, response, next) => {
  if (READING.includes(request.method)) return next();
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const fromHere = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (fromHere && (site === undefined || site === 'same-origin')) return next();
  refuse(response, 'other_site', 'the request comes from the page of another site');
};
