// `parley import`: converts flows of other products, without a server (docs/importers.md).
import { writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { formatNames, formats, importFlow, type FormatName, type ReportEntry } from '@parley/importers';
import type { Output } from '../program.ts';
import { scoreboard } from './scoreboard.ts';
import { readSource } from './sources.ts';

interface ImportOptions {
  readonly format?: FormatName;
  readonly out?: string;
  readonly scoreboard?: true;
}

export function addImport(parley: Command, { print, explain }: Output): void {
  const known = formatNames.map((name) => `  ${name.padEnd(14)} ${formats[name].title}`).join('\n');
  parley
    .command('import')
    .description('Convert a flow of another product, and report how each node was converted')
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
      explain(`${imported.report.map(formatEntry).join('\n')}\n`);
      const definition = JSON.stringify(imported.definition, null, 2);
      if (options.out === undefined) print(definition);
      else await writeFile(options.out, `${definition}\n`);
    });
}

const formatEntry = ({ outcome, type, name, reason }: ReportEntry): string =>
  `${outcome.padEnd(12)} ${type} "${name}"${reason === null ? '' : `: ${reason}`}`;
