export { LIMITS } from './limits.js';
export { settingsTableMarkdown } from './settings-markdown.js';
export { SETTINGS_TABLE, type ContactVisibility, type LogLevel, type NodeEnv, type Setting } from './settings-table.js';
export { SettingsError, readSettings, type Environment, type EventStoreSettings, type Settings } from './settings.js';
