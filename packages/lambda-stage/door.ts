// IAM in front of the services: signatures, policies, and the operations that they name.

export type {
  Door,
  GrantUse,
  Keys,
  PolicyDocument,
  PolicyStatement,
  Refusal,
} from './src/stage/door/door-types.ts';
export { readAccount, toSession } from './src/stage/door/identities.ts';
export { createPolicies } from './src/stage/door/policies.ts';
export {
  createObjectStore,
  nameObjectOperation,
  type ObjectReply,
  type ObjectRequest,
} from './src/stage/door/services/object-store.ts';
export { createParameters } from './src/stage/door/services/secrets.ts';
export { startDoor } from './src/stage/door/start-door.ts';
export { resolveTemplate, type Template } from './src/stage/door/template.ts';
