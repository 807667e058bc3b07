// How the credential of a portal link begins (docs/portal.md). The service verifies the rest.

export const PORTAL_TOKEN = 'ptl_';

/** Whether an Authorization header has the credential of a portal link. */
export function isPortalToken(authorization: string | undefined): boolean {
  return authorization?.startsWith(`Bearer ${PORTAL_TOKEN}`) === true;
}
