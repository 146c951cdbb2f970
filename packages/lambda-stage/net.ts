// Servers for programs on this machine, which web pages cannot reach.

export { InvalidParameterValueException } from './src/net/api-error.ts';
export type { JsonObject } from './src/net/json.ts';
export { type InternalServer, listen, refuseForeignRequests, startInternalServer } from './src/net/listen.ts';
export {
  findForeignHost,
  findForeignRequest,
  type LocalRequest,
  readBody,
} from './src/net/local-requests.ts';
