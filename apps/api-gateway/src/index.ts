export { openApiDocument } from './openapi/openapi-document.js';
export { startApiGateway, type ApiGatewayOptions, type ApiGateway } from './start-api-gateway.js';
