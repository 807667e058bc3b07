// Organisations and their plans: what the operator says of them, in the voice API's database.
export {
  findOrganization,
  listOrganizations,
  ORGANIZATIONS_CHANNEL,
  parseOrganizationChange,
  setOrganization,
  unknownOrganization,
  type Organization,
  type OrganizationChange,
} from './organizations.ts';
export { limitsOf, PLANS, plans, type Plan, type PlanLimits } from './plans.ts';
