// Security headers of every response, and the check that writes come from our own pages.
import type { Handler } from 'express';
import { refuse } from '../refusal.ts';

/** Only our own origin, nothing inline, no eval (docs/console.md#content-security-policy). */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:", // images in the style sheet of the JSON editor
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** On every file, because a worker obeys the policy of its own response. */
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

/** For responses about a person. */
export const neverCached: Handler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};

const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Accepts writes from our own origin and from programs, which send neither header. Unlike SameSite,
 * this also rejects other ports and subdomains.
 */
export const sameOriginWrites: Handler = (request, response, next) => {
  if (READING.includes(request.method)) return next();
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const fromHere = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (fromHere && (site === undefined || site === 'same-origin')) return next();
  refuse(response, 'other_site', 'The request comes from a page of another site.');
};
