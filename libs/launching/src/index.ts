export { claimDataFolder, type ClaimedFolder } from './data-folder.js';
export { prepareDatabases, startPostgres, type Server, type ServiceDatabases } from './databases.js';
export { environmentBeside } from './environment-beside.js';
export { readSettingsAndPort } from './listening-port.js';
export { curlLines, readyMessage } from './ready-message.js';
export { isProcessAlive, processIdentity } from './process-identity.js';
export { requestToken, type TokenRequest } from './sign-in-flow.js';
