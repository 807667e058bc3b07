// The portal of the link in the fragment of the address, which browsers never send to a server.
import { useLayoutEffect } from 'react';
import { Portal } from '../src/index.ts';
import { chooseInk, readLink } from './link.ts';

export interface HostedPortalProps {
  /** Address of the voice API. */
  readonly baseUrl: string;
  /** `#token=ptl_…`, with the appearance that the issuer of the link chose. */
  readonly fragment: string;
}

const NO_LINK = 'This page opens with a link. Ask for one where you manage your account.';
const EXPIRED = 'This link has expired or was revoked. Ask for a new one where you got it.';

export function HostedPortal({ baseUrl, fragment }: HostedPortalProps) {
  const { token, colorScheme, accentColor } = readLink(fragment);
  // Through the CSSOM: the policy of the page forbids inline styles.
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    style.colorScheme = colorScheme ?? '';
    style.setProperty('--parley-portal-accent', accentColor ?? '');
    style.setProperty('--parley-portal-accent-ink', accentColor ? chooseInk(accentColor) : '');
  }, [colorScheme, accentColor]);
  if (token === undefined)
    return (
      <p className="parley-portal" role="alert">
        {NO_LINK}
      </p>
    );
  return <Portal key={token} baseUrl={baseUrl} token={token} localization={{ expired: EXPIRED }} />;
}
