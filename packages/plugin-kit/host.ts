/** What a service that runs plugins needs in addition to `@hookloom/plugin-kit`: `@hookloom/plugin-kit/host`. */
export { CatalogueError, describeError, type ParametersOf } from './contract/catalogue-error.ts';
export { hasBrand } from './contract/error-brand.ts';
export type { FromSchema } from './contract/from-schema.ts';
export { isId } from './contract/ids.ts';
export { NESTING_LIMIT } from './contract/node-error.ts';
export type { NodeExample } from './contract/node-example.ts';
export { idSchema, nodeSchema, nodeSettingsSchema } from './contract/node-schema.ts';
export { type FindNodeType, isPure, type NodeType } from './contract/node-type.ts';
export { BUILT_IN_SOURCES } from './contract/plugin.ts';
export { isRegistrationRefused } from './contract/registration.ts';
export { toSchema } from './declare/to-schema.ts';
