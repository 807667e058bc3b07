// `parley mail list`: lists the mail that a development stack captured instead of sending it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Environment } from '@parley/server/runtime';
import type { Output } from './program.ts';

/** The capture folder of `npm start`. */
const CAPTURE_FOLDER = '.parley/mail';
/** Mails listed. */
const MAILS_MAX = 50;

export function addMail(parley: Command, env: Environment, print: Output['print']): void {
  parley
    .command('mail')
    .description('Mail captured in development')
    .command('list')
    .description(`List the last ${MAILS_MAX} mails, newest first`)
    .option('--dir <path>', 'folder of the mail', env['EMAIL_CAPTURE_DIR'] || CAPTURE_FOLDER)
    .action(async ({ dir }: { dir: string }) => {
      for await (const mail of readCapturedMail(dir)) print(JSON.stringify(mail));
    });
}

export interface CapturedMail {
  readonly date: string | undefined;
  readonly to: string | undefined;
  readonly subject: string | undefined;
  readonly file: string;
}

/** Newest first: file names begin with the time. A missing folder holds no mail. */
export async function* readCapturedMail(dir: string): AsyncGenerator<CapturedMail> {
  const names = await readdir(dir).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  for (const name of files.reverse().slice(0, MAILS_MAX)) {
    const file = join(dir, name);
    const header = parseHeaders(await readFile(file, 'utf8'));
    yield { date: header('date'), to: header('to'), subject: header('subject'), file };
  }
}

function parseHeaders(document: string): (name: string) => string | undefined {
  const head = document.slice(0, document.search(/\r?\n\r?\n/)).replaceAll(/\r?\n[ \t]+/g, ' ');
  const lines = head.split(/\r?\n/);
  return (name) => {
    const line = lines.find((one) => one.toLowerCase().startsWith(`${name}:`));
    return line === undefined ? undefined : decodeWords(line.slice(name.length + 1).trim());
  };
}

/** Encoded words (RFC 2047) in UTF-8, the encoding of the service. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?') // whitespace between two encoded words is not part of the text
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_word, kind: string, text: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : decodeQuoted(text),
    );
}

function decodeQuoted(text: string): string {
  const bytes = text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
