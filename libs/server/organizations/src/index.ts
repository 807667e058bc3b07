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
export { getCaps, getLimits, PLANS, getStorageBytes, type Cap, type Plan } from './plans.ts';
export { MAIL_PROVIDERS, settingKeys, type SecretKey, type SettingValue } from './setting-keys.ts';
export { listSettings, setSetting, unsetSetting } from './stored-settings.ts';
export { createSettings, type Settings } from './settings.ts';
