import {
  findForeignHost as findHost,
  findForeignRequest as findRequest,
  type LocalRequest,
} from 'lambda-stage/net';

// What servers on this machine have in common, with the service's problem types.

export { readBody } from 'lambda-stage/net';

export const LOCAL_PROBLEMS = 'urn:hookloom:problem:';

/** Why a server on this machine refuses a request to a host name that is not its own; null for any other request. */
export const findForeignHost = (request: LocalRequest) => findHost(request, LOCAL_PROBLEMS);

/** Why a server on this machine refuses a request of a web page of a different origin; null for any other request. */
export const findForeignRequest = (request: LocalRequest) => findRequest(request, LOCAL_PROBLEMS);
