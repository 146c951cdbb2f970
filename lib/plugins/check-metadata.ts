import { MAIN_OUTPUT } from '../contract/node.ts';
import type { PluginHandle } from '../contract/plugin.ts';
import {
  describeValue,
  isBoolean,
  isControl,
  isFilledList,
  isFunction,
  isId,
  isList,
  isName,
  isNameList,
  isOneOf,
  isOutputs,
  isPattern,
  isPropertyName,
  isRange,
  isSchema,
  isText,
  isTextList,
  isVersion,
  optional,
  type Rule,
} from './metadata-rules.ts';

const PROPERTY_TYPES = ['string', 'number', 'boolean', 'options', 'object', 'array', 'any'];

const unifiedRules: Record<string, Rule> = {
  id: isId,
  name: isName,
  version: isVersion,
  description: isText,
  category: isText,
  handles: isFilledList,
  dependencies: optional(isList),
  init: optional(isFunction),
  destroy: optional(isFunction),
  healthCheck: optional(isFunction),
};

/** What a node type of either API may declare. */
const declarationRules: Record<string, Rule> = {
  outputs: optional(isOutputs),
  inputs: optional(isNameList),
  endsBranch: optional(isBoolean),
  credentialTypes: optional(isNameList),
};

const handleRules: Record<string, Rule> = {
  ...declarationRules,
  id: isId,
  name: isName,
  description: isText,
  kind: isOneOf(['trigger', 'action']),
  schema: isSchema,
  pure: optional(isBoolean),
  control: optional(isControl),
  execute: isFunction,
};

const dependencyRules: Record<string, Rule> = {
  pluginId: isId,
  version: optional(isRange),
  optional: optional(isBoolean),
};

const legacyRules: Record<string, Rule> = {
  ...declarationRules,
  firedBy: optional(isOneOf(['request', 'subworkflow'])),
  nodeType: isId,
  displayName: isName,
  description: isText,
  category: isText,
  version: isVersion,
  properties: isList,
  getExecutor: isFunction,
  pure: optional(isBoolean),
  healthCheck: optional(isFunction),
};

const propertyRules: Record<string, Rule> = {
  name: isPropertyName,
  displayName: isName,
  type: isOneOf(PROPERTY_TYPES),
  description: optional(isText),
  required: optional(isBoolean),
  options: optional(isTextList),
  pattern: optional(isPattern),
};

/** An `options` property without its options would take nothing. */
const optionsRules: Record<string, Rule> = { ...propertyRules, options: isTextList };

/** Everything that is wrong with a unified provider; empty when it is sound. @param id - in the list of plugins */
export const checkUnified = (id: string, provider: unknown): string[] => {
  const problems = checkFields(provider, unifiedRules, '');
  if (problems.length > 0) return problems;
  const { id: ownId, handles, dependencies = [] } = provider as Lists & { readonly id: string };
  return [
    ...checkListedId(id, 'id', ownId),
    ...checkEach('handles', handles, () => handleRules),
    ...handles.flatMap(checkBodyOutput),
    ...checkEach('dependencies', dependencies, () => dependencyRules),
  ];
};

/** The same for a legacy provider, which is listed by its node type. */
export const checkLegacy = (id: string, provider: unknown): string[] => {
  const problems = checkFields(provider, legacyRules, '');
  if (problems.length > 0) return problems;
  const { nodeType, properties } = provider as Lists & { readonly nodeType: string };
  return [
    ...checkListedId(id, 'nodeType', nodeType),
    ...checkEach('properties', properties, ({ type }) => (type === 'options' ? optionsRules : propertyRules)),
    ...checkTwice(properties),
  ];
};

/** The body of a node is behind one of its outputs. A list of them can be looked at; what a function gives, can't. */
const checkBodyOutput = (handle: unknown, index: number): string[] => {
  const { control, outputs = [MAIN_OUTPUT] } = (handle ?? {}) as Partial<PluginHandle>;
  const bodyOutput = control?.bodyOutput;
  if (bodyOutput === undefined || !Array.isArray(outputs) || outputs.includes(bodyOutput)) return [];
  return [
    `handles[${index}].control.bodyOutput must be one of its outputs, and is ${describeValue(bodyOutput)}`,
  ];
};

/** What has been found to be lists; their entries may still be anything. */
type Lists = Readonly<Record<'handles' | 'properties', readonly unknown[]>> & {
  readonly dependencies?: readonly unknown[];
};

const checkListedId = (id: string, field: string, found: string): string[] =>
  found === id ? [] : [`${field} must be "${id}", as in the list of installed plugins, and is "${found}"`];

// Array.from, because a list with holes skips them in `map` and its like.
const checkEach = (
  field: string,
  entries: readonly unknown[],
  rulesOf: (entry: Record<string, unknown>) => Record<string, Rule>,
): string[] =>
  Array.from(entries).flatMap((entry, index) =>
    checkFields(entry, rulesOf((entry ?? {}) as Record<string, unknown>), `${field}[${index}].`),
  );

const checkTwice = (properties: readonly unknown[]): string[] => {
  const names = properties.map((property) => (property as { readonly name?: unknown } | null)?.name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return typeof twice === 'string' ? [`properties have the name ${describeValue(twice)} twice`] : [];
};

const checkFields = (value: unknown, rules: Record<string, Rule>, place: string): string[] => {
  if (typeof value !== 'object' || value === null)
    return [
      `${place === '' ? 'the export is no provider' : `${place.slice(0, -1)} is no object`} but ${describeValue(value)}`,
    ];
  return Object.entries(rules).flatMap(([field, rule]) => {
    const found = (value as Record<string, unknown>)[field];
    const problem = rule(found);
    return problem === null ? [] : [`${place}${field} ${problem}, and is ${describeValue(found)}`];
  });
};
