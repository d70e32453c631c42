export { startApiGateway, type ApiGatewayOptions, type ApiGateway } from './start-api-gateway.js';
