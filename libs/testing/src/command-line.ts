// The command line of programs for developers, such as `npm run chaos`.
import { parseArgs, type ParseArgsConfig } from 'node:util';

const USAGE_STATUS = 2;

/**
 * The options and arguments of this process. `--help` prints `usage` and ends it with 0; what is
 * not in `config` ends it with 2 and one line above the usage.
 */
export function readCommandLine<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs<Config>({ ...config, args });
  } catch (error) {
    return refuseCommandLine(usage, (error as Error).message);
  }
}

export function refuseCommandLine(usage: string, problem: string): never {
  console.error(`${problem}\nUsage: ${usage}`);
  process.exit(USAGE_STATUS);
}
