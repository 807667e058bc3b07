// What an operator sets for one organisation: references to secrets, and plain values. See README.md.
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
