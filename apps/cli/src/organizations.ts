// `parley organizations …`: plans and limits of organisations, in the database of each service.
import { Option, type Command } from 'commander';
import { audit, operatorFor } from '@parley/audit';
import {
  findOrganization,
  getLimits,
  listOrganizations,
  parseOrganizationChange,
  PLANS,
  setOrganization,
  getStorageBytes,
  unknownOrganization,
  type Organization,
} from '@parley/organizations';
import type { Sql } from '@parley/postgres';
import { systemClock, type Environment } from '@parley/runtime';
import type { Output } from './program.ts';
import { databaseVariable, deeds, serviceOfImage, SERVICES, withDatabase, type Service } from './services.ts';

/** What takes an organisation's own number away: its plan's holds again. */
const AS_PLANNED = 'plan';
/** What takes a name or an address away. */
const NONE = 'none';
/** Organisations read at once. */
const PAGE = 100;

interface ServiceOptions {
  readonly product?: Service;
  readonly databaseUrl?: string;
}

interface OrganizationOptions extends ServiceOptions {
  readonly org: string;
}

interface SetOrganizationOptions extends OrganizationOptions {
  readonly plan?: string;
  readonly name?: string;
  readonly requestsPerMinute?: string;
  readonly concurrentConnections?: string;
  readonly notifyPerMinute?: string;
  readonly storageBytes?: string;
  readonly alertEmail?: string;
}

export function addOrganizations(
  parley: Command,
  env: Environment,
  print: Output['print'],
  url: () => Option,
): void {
  const organizations = parley
    .command('organizations')
    .description('Plans and limits of organisations; one that is not listed is on the starter plan');
  const product = () =>
    new Option(
      '--product <service>',
      'the service whose limits they are; without it every one whose database is known',
    )
      .choices(SERVICES)
      .default(serviceOfImage(env)); // an image knows its service
  const inEach = async (options: ServiceOptions, work: (sql: Sql, service: Service) => Promise<void>) => {
    for (const service of servicesOf(env, options))
      await withDatabase(env, { ...options, product: service }, (sql) => work(sql, service));
  };
  /** Which service is said only where there are several. */
  const named = (options: ServiceOptions, service: Service, shownOne: object) =>
    servicesOf(env, options).length > 1 ? { product: service, ...shownOne } : shownOne;

  organizations
    .command('set')
    .description('Describe an organisation; what is not given stays. In effect within a second')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(new Option('--plan <plan>', 'starter where nothing was set').choices(PLANS))
    .option('--name <name>', 'for people; "none" takes it away')
    .option('--requests-per-minute <n>', 'in place of the plan\'s number; "plan" goes back to it')
    .option('--concurrent-connections <n>', 'in place of the plan\'s number; "plan" goes back to it')
    .option('--notify-per-minute <n>', "sends of notifications, in place of the plan's number, likewise")
    .option('--storage-bytes <n>', "what it may store, in place of the plan's number, likewise")
    .option('--alert-email <address>', 'where notices go; "none" takes it away')
    .addOption(product())
    .addOption(url())
    .action((options: SetOrganizationOptions) => {
      refuseNumbersForAll(servicesOf(env, options), options);
      return inEach(options, async (sql, service) => {
        const change = changeOf(options);
        const set = await setOrganization(sql, options.org, change, systemClock());
        await audit(sql, deeds, operatorFor(options.org), {
          action: 'organization.changed',
          target: options.org,
          details: { ...change },
        });
        print(JSON.stringify(named(options, service, shown(service, set)), null, 2));
      });
    });
  organizations
    .command('get')
    .description('What holds for an organisation')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(product())
    .addOption(url())
    .action((options: OrganizationOptions) =>
      inEach(options, async (sql, service) => {
        const found = (await findOrganization(sql, options.org)) ?? unknownOrganization(options.org);
        print(JSON.stringify(named(options, service, shown(service, found)), null, 2));
      }),
    );
  organizations
    .command('list')
    .description('Every organisation that was set, by id')
    .addOption(product())
    .addOption(url())
    .action((options: ServiceOptions) =>
      inEach(options, async (sql, service) => {
        for await (const one of allOrganizations(sql))
          print(JSON.stringify(named(options, service, shown(service, one))));
      }),
    );
}

/**
 * The service that is named; else those whose databases have variables of their own; else the voice API for an address that says no
 * service; else all of the running development stack.
 */
function servicesOf(env: Environment, { product, databaseUrl }: ServiceOptions): readonly Service[] {
  if (product) return [product];
  if (databaseUrl) return ['voice-api'];
  const known = SERVICES.filter((name) => env[databaseVariable(name)]);
  if (known.length > 0) return known;
  return env['DATABASE_DIRECT_URL'] || env['DATABASE_URL'] ? ['voice-api'] : SERVICES;
}

/** A number that is generous for a voice API would stop a flow builder. */
function refuseNumbersForAll(services: readonly Service[], options: SetOrganizationOptions): void {
  const { requestsPerMinute, concurrentConnections, notifyPerMinute, storageBytes } = options;
  const own = requestsPerMinute ?? concurrentConnections ?? notifyPerMinute ?? storageBytes;
  if (services.length > 1 && own !== undefined)
    throw new Error('numbers belong to one service: say which with --product');
  if (notifyPerMinute !== undefined && services[0] !== 'notifications')
    throw new Error(`${services[0]} sends nothing: --notify-per-minute is for --product notifications`);
}

/** @throws Error naming every option that cannot be so. */
function changeOf(options: SetOrganizationOptions) {
  return parseOrganizationChange({
    plan: options.plan,
    name: textOf(options.name),
    requestsPerMinute: numberOf(options.requestsPerMinute),
    concurrentConnections: numberOf(options.concurrentConnections),
    notifyPerMinute: numberOf(options.notifyPerMinute),
    storageBytes: numberOf(options.storageBytes),
    alertEmail: textOf(options.alertEmail),
  });
}

function numberOf(word: string | undefined): number | null | undefined {
  return word === undefined ? undefined : word === AS_PLANNED ? null : Number(word);
}

function textOf(word: string | undefined): string | null | undefined {
  return word === NONE ? null : word;
}

async function* allOrganizations(sql: Sql) {
  let after = '';
  for (;;) {
    const page = await listOrganizations(sql, PAGE, after);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

/** Wire spelling; `limits` is what holds in the end, null being no limit. */
function shown(service: Service, organization: Organization) {
  const { requestsPerMinute, concurrentConnections, notifyPerMinute } = getLimits(service, organization);
  const sends = notifyPerMinute !== undefined;
  return {
    id: organization.id,
    name: organization.name,
    plan: organization.plan,
    requests_per_minute: organization.requestsPerMinute,
    concurrent_connections: organization.concurrentConnections,
    ...(sends ? { notify_per_minute: organization.notifyPerMinute } : {}),
    storage_bytes: organization.storageBytes,
    alert_email: organization.alertEmail,
    limits: {
      requests_per_minute: requestsPerMinute,
      concurrent_connections: concurrentConnections,
      ...(sends ? { notify_per_minute: notifyPerMinute } : {}),
      storage_bytes: getStorageBytes(service, organization),
    },
  };
}
