export { startApiGateway, type ApiGatewayOptions, type RunningApiGateway } from './start.js';
