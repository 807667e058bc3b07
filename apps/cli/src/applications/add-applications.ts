// `parley applications`: customers with webhooks of their own, and links to their portal
// (docs/portal.md#from-the-command-line).
import type { Command } from 'commander';
import { Parley, type VoiceApi } from '@parley/sdk';
import type { Environment } from '@parley/server/runtime';
import { explainFailure } from '../command-failure.ts';
import { CommandError } from '../flows/folder.ts';
import { explainMissing, readAddresses } from '../mcp/addresses.ts';
import type { Output } from '../program.ts';

interface LinkOptions {
  readonly seconds?: string;
  readonly readOnly?: boolean;
}

export function addApplications(parley: Command, env: Environment, { print, explain }: Output): void {
  const applications = parley
    .command('applications')
    .description('Customers with webhooks of their own. Set PARLEY_VOICE_URL and PARLEY_VOICE_KEY');
  const printJson = (value: object) => print(JSON.stringify(value));

  /** Prints one line for each result. */
  const call = (results: (api: VoiceApi) => AsyncIterable<object> | Promise<object>) =>
    explainFailure('applications', explain, async () => {
      const result = results(connect(env));
      if (Symbol.asyncIterator in result) for await (const one of result) printJson(one);
      else printJson(await result);
    });

  applications
    .command('list')
    .description('List applications by id')
    .action(() => call((api) => api.listApplications({})));
  applications
    .command('put <id>')
    .description('Create or rename an application; the same again changes nothing')
    .requiredOption('--name <name>', 'name, shown in the portal')
    .action((id: string, { name }: { name: string }) =>
      call((api) => api.putApplication({ application_id: id, body: { name } })),
    );
  applications
    .command('delete <id>')
    .description('Delete an application with its webhooks and their delivery log, and end its links')
    .action((id: string) => call((api) => api.deleteApplication({ application_id: id })));
  applications
    .command('link <id>')
    .description('Create a portal link and print it; it cannot be shown again')
    .option('--seconds <count>', 'lifetime: 60 to 86400; default 3600')
    .option('--read-only', 'the portal changes nothing')
    .action((id: string, { seconds, readOnly = false }: LinkOptions) =>
      call((api) =>
        api.createPortalLink({
          application_id: id,
          body: {
            read_only: readOnly,
            ...(seconds === undefined ? {} : { expires_in_seconds: Number(seconds) }),
          },
        }),
      ),
    );
  applications
    .command('revoke-links <id>')
    .description('Revoke all portal links of an application')
    .action((id: string) => call((api) => api.revokePortalLinks({ application_id: id })));
}

function connect(env: Environment): VoiceApi {
  const address = readAddresses(env)['voice-api'];
  if (address === undefined) throw new CommandError(explainMissing('voice-api'));
  return new Parley({ voiceApi: address }).voiceApi;
}
