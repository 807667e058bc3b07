// The machine's own Chromium for browser tests: Debian's package, or the one in CHROMIUM.
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** For playwright's `chromium.launch`. @throws Error that says what to install */
export function findChromium() {
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
