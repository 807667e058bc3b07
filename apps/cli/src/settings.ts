// `parley settings …`: settings of an organisation in the notifications database. Secrets are set
// as references, because the shell's history would keep a value.
import { Option, type Command } from 'commander';
import { audit, operatorFor } from '@parley/server/audit';
import { systemClock, type Environment } from '@parley/server/runtime';
import {
  listSettings,
  setSetting,
  settingKeys,
  unsetSetting,
  type SettingValue,
} from '@parley/server/organizations';
import type { Output } from './program.ts';
import { auditDeps, withDatabase } from './services.ts';

interface OrganizationOptions {
  readonly org: string;
  readonly databaseUrl?: string;
}

interface KeyOptions extends OrganizationOptions {
  readonly key: string;
}

interface SetOptions extends KeyOptions {
  readonly ref?: string;
  readonly value?: string;
}

export function addSettings(
  parley: Command,
  env: Environment,
  print: Output['print'],
  url: () => Option,
): void {
  const settings = parley
    .command('settings')
    .description('Manage how notifications of an organisation are sent; takes effect within a second');
  const key = () =>
    new Option('--key <key>', 'name of the setting').choices(Object.keys(settingKeys)).makeOptionMandatory();
  const inNotifications = (options: OrganizationOptions) => ({
    ...options,
    product: 'notifications' as const,
  });

  settings
    .command('set')
    .description('Set the reference of a secret, or a plain value')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(key())
    .addOption(
      new Option(
        '--ref <reference>',
        'reference of a secret: env://NAME, file:///path, vault://mount/path#key',
      ).conflicts('value'),
    )
    .option('--value <value>', 'value of a setting that is not secret')
    .addOption(url())
    .action((options: SetOptions) =>
      withDatabase(env, inNotifications(options), async (sql) => {
        const given = parseValue(options);
        await setSetting(sql, options.org, options.key, given, systemClock());
        const entry = { action: 'setting.set', target: options.key, details: { ...given } } as const;
        await audit(sql, auditDeps, operatorFor(options.org), entry);
        print(`set ${options.key}`);
      }),
    );
  settings
    .command('list')
    .description('List the settings of an organisation: references and values')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(url())
    .action((options: OrganizationOptions) =>
      withDatabase(env, inNotifications(options), async (sql) => {
        for (const { key: name, reference, value, updatedAt } of await listSettings(sql, options.org)) {
          print(
            JSON.stringify({
              key: name,
              ref: reference ?? undefined,
              value: value ?? undefined,
              updated_at: updatedAt,
            }),
          );
        }
      }),
    );
  settings
    .command('unset')
    .description('Remove a setting; the default of the deployment applies again')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(key())
    .addOption(url())
    .action((options: KeyOptions) =>
      withDatabase(env, inNotifications(options), async (sql) => {
        const was = await unsetSetting(sql, options.org, options.key);
        const deed = { action: 'setting.unset', target: options.key } as const;
        if (was) await audit(sql, auditDeps, operatorFor(options.org), deed);
        print(was ? `unset ${options.key}` : `${options.key} was not set`);
      }),
    );
}

/** @throws Error when there is neither a reference nor a value. */
function parseValue({ ref, value, key }: SetOptions): SettingValue {
  if (ref !== undefined) return { reference: ref };
  if (value !== undefined) return { value };
  throw new Error(
    `"${key}" needs ${settingKeys[key as keyof typeof settingKeys].kind === 'secret' ? '--ref' : '--value'}`,
  );
}
