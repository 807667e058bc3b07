// `parley gateway check`: asks a flow builder to try its model provider (docs/providers.md#check).
import { CommanderError, type Command } from 'commander';
import { Parley } from '@parley/sdk';
import type { Environment } from '@parley/server/runtime';
import { explainFailure } from '../command-failure.ts';
import { CommandError } from '../flows/folder.ts';
import { explainMissing, readAddresses } from '../mcp/addresses.ts';
import type { Output } from '../program.ts';

/** Exit code: the provider has failed. */
const EXIT_FINDINGS = 1;

const WORDS = { ok: 'works', failed: 'fails', not_configured: 'is not configured' } as const;

export function addGateway(parley: Command, env: Environment, { print, explain }: Output): void {
  parley
    .command('gateway')
    .description('The provider of models behind classifier, extractor and agent')
    .command('check')
    .description('Try each with a small question, and print what came back; exits with 1 when one fails')
    .option(
      '--url <url>',
      'URL of the flow builder; default PARLEY_FLOWS_URL. Set its key in PARLEY_FLOWS_KEY',
    )
    .action(async ({ url }: { url?: string }) => {
      const settings = { ...env, ...(url === undefined ? {} : { PARLEY_FLOWS_URL: url }) };
      const isFine = await explainFailure('gateway', explain, () => check(settings));
      if (!isFine) throw new CommanderError(EXIT_FINDINGS, 'parley.gateway', 'the provider does not work');
    });

  async function check(settings: Environment): Promise<boolean> {
    const address = readAddresses(settings)['flow-builder'];
    if (address === undefined) throw new CommandError(explainMissing('flow-builder'));
    const { flowBuilder } = new Parley({ flowBuilder: address });
    const { ok, checks } = await flowBuilder.checkGateway({});
    for (const { provider, use, status, model, ms, reason, message } of checks) {
      const named = provider === 'fallback' || provider === 'flow' ? `${provider} ${use}` : use;
      const place = model === null ? named : `${named} (${model}, ${ms} ms)`;
      print(`${place} ${WORDS[status]}${reason === null ? '' : `: ${reason}`}. ${message}`);
    }
    return ok;
  }
}
