// GET /portal: the hosted page of portal links (docs/portal.md#the-hosted-page), with its script
// and style sheet. The page is the same for everybody: the link is in the fragment of the address,
// which no server receives.
import { join } from 'node:path';
import type { PageFile } from '@parley/server/http';
import { shippedPath } from '@parley/server/runtime';
import type { PortalAppearance } from './schemas.ts';

const PATH = '/portal';

/** Nothing inline, nothing from elsewhere, in no frame. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:', // the empty icon, so that browsers request none
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** By path. All addresses of the page are relative to its own. */
export function listPortalFiles(): Readonly<Record<string, PageFile>> {
  const folder = shippedPath('portal', () => join(import.meta.dirname, '../../../../libs/portal/page'));
  const file = (name: string): PageFile => ({ path: join(folder, name), headers: HEADERS });
  return {
    [PATH]: file('index.html'),
    [`${PATH}/page.js`]: file('page.js'),
    [`${PATH}/page.css`]: file('page.css'),
  };
}

/** @param publicUrl address of this service */
export function buildPortalUrl(publicUrl: string, token: string, appearance: PortalAppearance): string {
  return `${publicUrl}${PATH}#${new URLSearchParams({ token, ...appearance }).toString()}`;
}
