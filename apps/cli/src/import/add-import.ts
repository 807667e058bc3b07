// `parley import`: flows of other products, read here; no service is asked (docs/importers.md).
import { writeFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { formatNames, formats, importFlow, type FormatName, type ReportEntry } from '@parley/importers';
import type { Output } from '../program.ts';
import { scoreboard } from './scoreboard.ts';
import { sourceAt } from './sources.ts';

interface ImportOptions {
  readonly format?: FormatName;
  readonly out?: string;
  readonly scoreboard?: true;
}

export function addImport(parley: Command, { print, explain }: Output): void {
  const known = formatNames.map((name) => `  ${name.padEnd(14)} ${formats[name].title}`).join('\n');
  parley
    .command('import')
    .description('Make a flow of a document of another product; says what became of each of its nodes')
    .argument('<path>', 'a file, or a folder of a product that keeps a flow in one')
    .addOption(new Option('--format <name>', 'what it is; without, it is recognised').choices(formatNames))
    .option('--out <file>', 'write the definition there instead of printing it')
    .option('--scoreboard', 'import every document in the folder, and print how well that went')
    .addHelpText('after', `\nFormats:\n${known}`)
    .action(async (path: string, options: ImportOptions, command: Command) => {
      if (options.scoreboard) {
        for await (const line of scoreboard(path)) print(line);
        return;
      }
      const imported = importFlow((await sourceAt(path)).document, options.format);
      if (!imported.ok) return command.error(`${path}: ${imported.reason}`);
      explain(`${imported.report.map(told).join('\n')}\n`);
      const definition = JSON.stringify(imported.definition, null, 2);
      if (options.out === undefined) print(definition);
      else await writeFile(options.out, `${definition}\n`);
    });
}

const told = ({ outcome, type, name, reason }: ReportEntry): string =>
  `${outcome.padEnd(12)} ${type} "${name}"${reason === null ? '' : `: ${reason}`}`;
