// `parley organizations …`: sets and shows plans and limits in the database of each service.
import { Option, type Command } from 'commander';
import { audit, operatorFor } from '@parley/server/audit';
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
} from '@parley/server/organizations';
import type { Sql } from '@parley/server/postgres';
import { systemClock, type Environment } from '@parley/server/runtime';
import type { Output } from './program.ts';
import {
  databaseVariable,
  auditDeps,
  readImageService,
  SERVICES,
  withDatabase,
  type Service,
} from './services.ts';

/** The option value that resets a number to the plan's. */
const PLAN_VALUE = 'plan';
/** The option value that removes a name or an address. */
const NO_VALUE = 'none';
/** Organisations per query. */
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
    .description('Manage plans and limits; an organisation that was never set is on the starter plan');
  const product = () =>
    new Option('--product <service>', 'the service to change; default: every service with a known database')
      .choices(SERVICES)
      .default(readImageService(env)); // an image knows its service
  const inEach = async (options: ServiceOptions, work: (sql: Sql, service: Service) => Promise<void>) => {
    for (const service of selectServices(env, options))
      await withDatabase(env, { ...options, product: service }, (sql) => work(sql, service));
  };
  /** Names the service in the output only when there are several. */
  const labelService = (options: ServiceOptions, service: Service, organization: object) =>
    selectServices(env, options).length > 1 ? { product: service, ...organization } : organization;

  organizations
    .command('set')
    .description('Set plan, limits or contact of an organisation; takes effect within a second')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(new Option('--plan <plan>', 'plan; starter until it is set').choices(PLANS))
    .option('--name <name>', 'display name; "none" removes it')
    .option('--requests-per-minute <n>', 'overrides the plan\'s limit; "plan" resets it')
    .option('--concurrent-connections <n>', 'overrides the plan\'s limit; "plan" resets it')
    .option('--notify-per-minute <n>', 'overrides the plan\'s limit of sends; "plan" resets it')
    .option('--storage-bytes <n>', 'overrides the plan\'s limit of storage; "plan" resets it')
    .option('--alert-email <address>', 'receives alerts of the platform; "none" removes it')
    .addOption(product())
    .addOption(url())
    .action((options: SetOrganizationOptions) => {
      checkNumbers(selectServices(env, options), options);
      return inEach(options, async (sql, service) => {
        const change = parseChange(options);
        const set = await setOrganization(sql, options.org, change, systemClock());
        await audit(sql, auditDeps, operatorFor(options.org), {
          action: 'organization.changed',
          target: options.org,
          details: { ...change },
        });
        print(JSON.stringify(labelService(options, service, toWire(service, set)), null, 2));
      });
    });
  organizations
    .command('get')
    .description('Show plan and limits of an organisation')
    .requiredOption('--org <id>', 'the organisation')
    .addOption(product())
    .addOption(url())
    .action((options: OrganizationOptions) =>
      inEach(options, async (sql, service) => {
        const found = (await findOrganization(sql, options.org)) ?? unknownOrganization(options.org);
        print(JSON.stringify(labelService(options, service, toWire(service, found)), null, 2));
      }),
    );
  organizations
    .command('list')
    .description('List every organisation that was set, by id')
    .addOption(product())
    .addOption(url())
    .action((options: ServiceOptions) =>
      inEach(options, async (sql, service) => {
        for await (const one of allOrganizations(sql))
          print(JSON.stringify(labelService(options, service, toWire(service, one))));
      }),
    );
}

/**
 * The named service; else those with a DATABASE_URL_<SERVICE>; else the voice API for a bare
 * database URL; else all of the running development stack.
 */
function selectServices(env: Environment, { product, databaseUrl }: ServiceOptions): readonly Service[] {
  if (product) return [product];
  if (databaseUrl) return ['voice-api'];
  const known = SERVICES.filter((name) => env[databaseVariable(name)]);
  if (known.length > 0) return known;
  return env['DATABASE_DIRECT_URL'] || env['DATABASE_URL'] ? ['voice-api'] : SERVICES;
}

/**
 * A limit that is generous for the voice API would stop a flow builder, so it needs one service.
 */
function checkNumbers(services: readonly Service[], options: SetOrganizationOptions): void {
  const { requestsPerMinute, concurrentConnections, notifyPerMinute, storageBytes } = options;
  const own = requestsPerMinute ?? concurrentConnections ?? notifyPerMinute ?? storageBytes;
  if (services.length > 1 && own !== undefined)
    throw new Error('limits belong to one service: name it with --product');
  if (notifyPerMinute !== undefined && services[0] !== 'notifications')
    throw new Error(`${services[0]} sends nothing: use --notify-per-minute with --product notifications`);
}

/** @throws Error that names every invalid option. */
function parseChange(options: SetOrganizationOptions) {
  return parseOrganizationChange({
    plan: options.plan,
    name: parseText(options.name),
    requestsPerMinute: parseNumber(options.requestsPerMinute),
    concurrentConnections: parseNumber(options.concurrentConnections),
    notifyPerMinute: parseNumber(options.notifyPerMinute),
    storageBytes: parseNumber(options.storageBytes),
    alertEmail: parseText(options.alertEmail),
  });
}

function parseNumber(word: string | undefined): number | null | undefined {
  return word === undefined ? undefined : word === PLAN_VALUE ? null : Number(word);
}

function parseText(word: string | undefined): string | null | undefined {
  return word === NO_VALUE ? null : word;
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

/** `limits` are the effective limits; null means unlimited. */
function toWire(service: Service, organization: Organization) {
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
