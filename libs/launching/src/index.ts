export { claimDataFolder, type ClaimedFolder } from './data-folder.js';
export { prepareDatabases, startPostgres, type Server, type ServiceDatabases } from './databases.js';
export { CONTROL_FILE, STACK_DATA_DIR, environmentBeside, type ControlNote } from './environment-beside.js';
export { readSettingsAndPort } from './listening-port.js';
export { curlLines, readyMessage } from './ready-message.js';
export { isProcessAlive, processIdentity } from './process-identity.js';
export { requestToken, type TokenRequest } from './sign-in-flow.js';
