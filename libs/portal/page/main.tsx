// The hosted portal: the page that the url of a portal link opens (docs/portal.md#the-hosted-page).
// The voice API serves it, so it needs no other origin.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { HostedPortal } from './hosted-portal.tsx';

const root = createRoot(document.querySelector('#root')!);
/** Relative, so that a proxy may serve the voice API below a path. */
const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');

function draw(): void {
  root.render(
    <StrictMode>
      <HostedPortal baseUrl={baseUrl} fragment={location.hash} />
    </StrictMode>,
  );
}

addEventListener('hashchange', draw);
draw();
