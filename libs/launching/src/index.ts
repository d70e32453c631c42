export { claimDataFolder, type ClaimedFolder } from './data-folder.js';
export { databaseUrlOf, prepareDatabases, startPostgres, type Server, type ServiceDatabases } from './databases.js';
export { readSettingsAndPort } from './listening-port.js';
export { paymentsEnvironment } from './running-payments.js';
export { curlLines, readyMessage } from './ready-message.js';
export { isProcessAlive, processIdentity } from './process-identity.js';
export { STACK_DATA_DIR, settingsOfRunning } from './running-product.js';
export { requestToken, type TokenRequest } from './sign-in-flow.js';
