export { LIMITS } from './limits.js';
export { settingsTableMarkdown } from './settings-markdown.js';
export type { ContactVisibility, LogLevel, NodeEnv } from './settings-table.js';
export { SettingsError, readSettings, type EnvironmentVariables, type Settings } from './settings.js';
