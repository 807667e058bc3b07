// Organisations: their plans, and what an operator sets for each. See README.md.
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
export { capsOf, limitsOf, PLANS, storageOf, type Cap, type Plan, type PlanLimits } from './plans.ts';
export {
  isSettingKey,
  settingKeys,
  type SecretKey,
  type SettingKey,
  type SettingRow,
  type SettingValue,
  type ValueKey,
} from './setting-keys.ts';
export { listSettings, setSetting, unsetSetting, type StoredSetting } from './stored-settings.ts';
export { createSettings, type Settings, type SettingsOptions } from './settings.ts';
