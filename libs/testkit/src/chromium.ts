// The Chromium of browser tests, which is the machine's own: Debian's package, or what CHROMIUM names.
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** For playwright's `chromium.launch`. @throws Error that says what to install */
export function chromiumHere() {
  const executablePath = process.env['CHROMIUM'] ?? PLACES.find((path) => existsSync(path));
  if (executablePath === undefined || !existsSync(executablePath))
    throw new Error(
      `No Chromium found (looked for ${PLACES.join(', ')}; CHROMIUM names another). Install it: apt-get install -y chromium`,
    );
  return {
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  };
}
