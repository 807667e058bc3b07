// `parley import`: converts flows of other products, without a server (docs/importers.md).
import { writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import {
  formatNames,
  formats,
  importFlow,
  type FormatName,
  type Loss,
  type ReportEntry,
} from '@parley/importers';
import { Parley, ParleyError } from '@parley/sdk';
import type { Environment } from '@parley/server/runtime';
import { CommandError } from '../flows/folder.ts';
import type { Output } from '../program.ts';
import { importConversations, reimportConversations, VENDORS, type Vendor } from './conversations.ts';
import { scoreboard } from './scoreboard.ts';
import { readSource } from './sources.ts';

interface ImportOptions {
  readonly format?: FormatName;
  readonly out?: string;
  readonly scoreboard?: true;
}

interface ConversationOptions {
  readonly source?: Vendor;
  readonly botId?: string;
  readonly state?: string;
  readonly stored?: true;
  readonly url?: string;
}

export function addImport(parley: Command, env: Environment, { print, explain }: Output): void {
  const known = formatNames.map((name) => `  ${name.padEnd(14)} ${formats[name].title}`).join('\n');
  const flows = parley
    .command('import')
    .description('Convert a flow of another product, and report what became of each node and text')
    .argument('<path>', 'a file, or a folder for products that store a flow as one')
    .addOption(new Option('--format <name>', 'format; default: recognised').choices(formatNames))
    .option('--out <file>', 'write the definition to a file instead of printing it')
    .option('--scoreboard', 'import every document in the folder, and print a table of the results')
    .addHelpText('after', `\nFormats:\n${known}`)
    .action(async (path: string, options: ImportOptions, command: Command) => {
      if (options.scoreboard) {
        for await (const line of scoreboard(path)) print(line);
        return;
      }
      const imported = importFlow((await readSource(path)).document, options.format);
      if (!imported.ok) return command.error(`${path}: ${imported.reason}`);
      const { report, losses, texts } = imported;
      const counts = `${texts.kept} kept, ${texts.approximated} approximated, ${texts.lost} lost`;
      const lines = [...report.map(formatEntry), `texts: ${counts}`, ...losses.map(formatLoss)];
      explain(`${lines.join('\n')}\n`);
      const definition = JSON.stringify(imported.definition, null, 2);
      if (options.out === undefined) print(definition);
      else await writeFile(options.out, `${definition}\n`);
    });
  addConversations(flows, env, print);
}

function addConversations(parent: Command, env: Environment, print: Output['print']): void {
  parent
    .command('conversations')
    .description('Send reports of calls of a vendor to the voice API; continues where it stopped')
    .argument('[path]', 'a report, a list of them or JSON lines, or a folder of such files')
    .addOption(new Option('--source <vendor>', 'the vendor').choices(VENDORS))
    .option('--bot-id <id>', "replaces the vendor's agent id")
    .option('--state <file>', 'lists what was accepted; default: <path>.imported')
    .option('--stored', 'apply the reports again that the voice API has stored, instead of a path')
    .option('--url <url>', 'URL of the voice API; default PARLEY_VOICE_URL. Set its key in PARLEY_VOICE_KEY')
    .action(async (path: string | undefined, options: ConversationOptions, command: Command) => {
      const { source, botId, stored } = options;
      const [url, key] = [options.url ?? env['PARLEY_VOICE_URL'], env['PARLEY_VOICE_KEY']];
      if (!url || !key)
        return command.error('no voice API: pass --url or set PARLEY_VOICE_URL, and set PARLEY_VOICE_KEY');
      const { voiceApi } = new Parley({ voiceApi: { url, key } });
      if (stored ? path !== undefined : path === undefined || source === undefined)
        return command.error('pass a path and --source, or --stored without a path');
      try {
        const state = options.state ?? `${path?.replace(/\/+$/, '')}.imported`;
        const isWhole = stored
          ? await reimportConversations(voiceApi, source, print)
          : await importConversations(voiceApi, { path: path!, vendor: source!, botId, state, print });
        if (!isWhole) command.error('some reports were refused');
      } catch (error) {
        if (!(error instanceof CommandError || error instanceof ParleyError)) throw error;
        command.error(error.message);
      }
    });
}

const formatEntry = ({ outcome, type, name, reason }: ReportEntry): string =>
  `${outcome.padEnd(12)} ${type} "${name}"${reason === null ? '' : `: ${reason}`}`;

const formatLoss = ({ outcome, pointer, text, reason }: Loss): string =>
  `${outcome.padEnd(12)} ${JSON.stringify(text)} at ${pointer}: ${reason}`;
