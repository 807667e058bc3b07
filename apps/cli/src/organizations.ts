// `parley organizations …`: plans and limits of organisations, in the voice API's database.
import { audit, operatorFor } from '@parley/audit';
import {
  findOrganization,
  limitsOf,
  listOrganizations,
  parseOrganizationChange,
  setOrganization,
  unknownOrganization,
  type Organization,
} from '@parley/organizations';
import type { Sql } from '@parley/postgres';
import { systemClock } from '@parley/runtime';
import type { SetOrganizationOptions } from './program.ts';
import { deeds } from './services.ts';

/** What takes an organisation's own number away: its plan's holds again. */
const AS_PLANNED = 'plan';
/** What takes a name or an address away. */
const NONE = 'none';
/** Organisations read at once. */
const PAGE = 100;

/** @throws Error naming every option that cannot be so. */
export async function setOrganizationOf(sql: Sql, options: SetOrganizationOptions) {
  const change = parseOrganizationChange({
    plan: options.plan,
    name: textOf(options.name),
    requestsPerMinute: numberOf(options.requestsPerMinute),
    concurrentConnections: numberOf(options.concurrentConnections),
    alertEmail: textOf(options.alertEmail),
  });
  const after = await setOrganization(sql, options.org, change, systemClock());
  await audit(sql, deeds, operatorFor(options.org), {
    action: 'organization.changed',
    target: options.org,
    details: { ...change },
  });
  return shown(after);
}

function numberOf(word: string | undefined): number | null | undefined {
  return word === undefined ? undefined : word === AS_PLANNED ? null : Number(word);
}

function textOf(word: string | undefined): string | null | undefined {
  return word === NONE ? null : word;
}

export async function getOrganization(sql: Sql, id: string) {
  return shown((await findOrganization(sql, id)) ?? unknownOrganization(id));
}

export async function* listAllOrganizations(sql: Sql) {
  let after = '';
  for (;;) {
    const page = await listOrganizations(sql, PAGE, after);
    for (const organization of page) yield shown(organization);
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

/** Wire spelling; `limits` is what holds in the end, null being no limit. */
function shown(organization: Organization) {
  const { requestsPerMinute, concurrentConnections } = limitsOf(organization);
  return {
    id: organization.id,
    name: organization.name,
    plan: organization.plan,
    requests_per_minute: organization.requestsPerMinute,
    concurrent_connections: organization.concurrentConnections,
    alert_email: organization.alertEmail,
    limits: { requests_per_minute: requestsPerMinute, concurrent_connections: concurrentConnections },
  };
}
