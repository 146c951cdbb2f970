/** What a service that runs plugins needs in addition to `@hookloom/plugin-kit`: `@hookloom/plugin-kit/host`. */
export { findHostsRule, type HostsRule } from './contract/credential-type.ts';
export {
  CatalogueError,
  describeError,
  hasBrand,
  NESTING_LIMIT,
  type ParametersOf,
} from './contract/errors.ts';
export { type FromSchema, ID_PATTERN, isId, nodeSchema, nodeSettingsSchema } from './contract/node.ts';
export { type FindNodeType, isPure, type NodeType } from './contract/node-type.ts';
export { type CheckedOptions, checkOptions } from './contract/options.ts';
export {
  branchesOf,
  eitherOf,
  fieldSchema,
  isUnknown,
  itemSchema,
  mergeSchemas,
  namesOfOutputs,
  resolveOutput,
  schemaOfOutput,
} from './contract/outputs.ts';
export { BUILT_IN_SOURCES, type NodeExample } from './contract/plugin.ts';
export { checkPolled, type Polled } from './contract/polled.ts';
export { isRegistrationRefused } from './contract/registration.ts';
export { LOWER_CASE } from './declare/headers.ts';
export { toSchema } from './declare/to-schema.ts';
export { scheduleParameters, toInstant } from './tools/create-poll-trigger.ts';
