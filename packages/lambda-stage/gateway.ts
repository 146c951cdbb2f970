// An HTTP API: routes, events and responses as API Gateway has them.

export { type Gateway, startGateway } from './src/gateway/gateway.ts';
export { createRouter, type Route } from './src/gateway/routes.ts';
export { answerProblem, type GatewayAnswer } from './src/gateway/to-answer.ts';
export { type RawRequest, splitTarget } from './src/gateway/to-event.ts';
