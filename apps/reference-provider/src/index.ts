export { startReferenceProvider, type ReferenceProvider } from './start-reference-provider.js';
export { readProviderSettings } from './provider-settings.js';
export { PROVIDER_SCHEMA } from './storage/provider-schema.js';
