// The mail provider of development: writes every mail to a file and sends nothing. `parley mail
// list` lists them.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { captureDir } from '../../config/email.ts';
import { mailDocument } from './mail-document.ts';
import type { MailProvider } from './mail-provider.ts';

/** Stored files, at most. Newer ones replace the oldest. */
export const CAPTURED_MAX = 1_000;

export const capture: MailProvider = {
  name: 'capture',
  secret: null,
  available: ({ config }) => captureDir(config) !== undefined,
  preview: async (mail) => (await mailDocument(mail)).toString('utf8'),
  send: async ({ config, log }, _organizationId, mail) => {
    const dir = captureDir(config);
    if (dir === undefined)
      return {
        kind: 'unusable',
        again: false,
        errorClass: 'unconfigured',
        message: 'This deployment does not capture mail.',
      };
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // Names sort by time. The rename makes sure that nobody reads half a mail.
    const file = `${mail.date.toISOString().replaceAll(':', '-')}-${mail.notificationId}.eml`;
    const draft = join(dir, `.${randomUUID()}`);
    await writeFile(draft, await mailDocument(mail), { mode: 0o600 });
    await rename(draft, join(dir, file));
    await dropOldest(dir);
    log.info({ notification_id: mail.notificationId, file: join(dir, file) }, 'email.captured');
    return { kind: 'accepted' };
  },
};

async function dropOldest(dir: string): Promise<void> {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.eml')).sort();
  for (const file of files.slice(0, -CAPTURED_MAX)) await rm(join(dir, file), { force: true });
}
