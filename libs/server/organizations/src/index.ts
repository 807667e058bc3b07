// Organisations: their plans, and the settings that an operator made. See README.md.
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
export { getCaps, getLimits, PLANS, getStorageBytes, type Cap, type Plan, type PlanLimits } from './plans.ts';
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
