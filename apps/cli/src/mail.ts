// `parley mail list`: the mail that a development stack has captured in place of sending it. Reads the folder; no service is asked.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Environment } from '@parley/runtime';
import type { Output } from './program.ts';

/** Where `npm start` has the notifications service put it. */
const CAPTURED = '.parley/mail';
/** Mails shown; the newest are the ones looked for. */
const SHOWN_MAX = 50;

export function addMail(parley: Command, env: Environment, print: Output['print']): void {
  parley
    .command('mail')
    .description('Mail that was captured in development')
    .command('list')
    .description(`The last ${SHOWN_MAX} mails, newest first`)
    .option('--dir <path>', 'the folder', env['EMAIL_CAPTURE_DIR'] || CAPTURED)
    .action(async ({ dir }: { dir: string }) => {
      for await (const mail of capturedMail(dir)) print(JSON.stringify(mail));
    });
}

export interface CapturedMail {
  readonly date: string | undefined;
  readonly to: string | undefined;
  readonly subject: string | undefined;
  readonly file: string;
}

/** Newest first: a file is named for its time. A folder that is not there holds no mail. */
export async function* capturedMail(dir: string): AsyncGenerator<CapturedMail> {
  const names = await readdir(dir).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  for (const name of files.reverse().slice(0, SHOWN_MAX)) {
    const file = join(dir, name);
    const header = headersOf(await readFile(file, 'utf8'));
    yield { date: header('date'), to: header('to'), subject: header('subject'), file };
  }
}

function headersOf(document: string): (name: string) => string | undefined {
  const head = document.slice(0, document.search(/\r?\n\r?\n/)).replaceAll(/\r?\n[ \t]+/g, ' ');
  const lines = head.split(/\r?\n/);
  return (name) => {
    const line = lines.find((one) => one.toLowerCase().startsWith(`${name}:`));
    return line === undefined ? undefined : decoded(line.slice(name.length + 1).trim());
  };
}

/** Encoded words (RFC 2047) in UTF-8, as the service writes them. */
function decoded(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?') // blanks between two of them are none of the text
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_word, kind: string, text: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : quoted(text),
    );
}

function quoted(text: string): string {
  const bytes = text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
