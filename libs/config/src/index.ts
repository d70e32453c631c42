export { demoInProduction } from './demo-in-production.js';
export { LIMITS } from './limits.js';
export { settingsTableMarkdown } from './settings-markdown.js';
export type { ContactVisibility, LogLevel, NodeEnv } from './settings-table.js';
export { readServiceSettings, type ServiceName, type ServiceSettings } from './service-settings.js';
export { SettingsError, type EnvironmentVariables } from './settings-reader.js';
export { readSettings, type KafkaSettings, type RateLimit, type Settings } from './settings.js';
export { CONTROL_FILE, STACK_DATA_DIR, type ControlNote } from './stack-place.js';
