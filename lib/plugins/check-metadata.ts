import valid from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';
import { isPlainObject } from '../contract/json.ts';

/** Names that mean something to JavaScript's objects. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const ID = /^[A-Za-z0-9._-]{1,64}$/;
const MAX_TEXT_LENGTH = 2_000;
const PROPERTY_TYPES = ['string', 'number', 'boolean', 'options', 'object', 'array', 'any'];

/** A rule about one field: null when the value keeps it, otherwise what it must be. */
type Rule = (value: unknown) => string | null;

const isId: Rule = (value) =>
  typeof value === 'string' && ID.test(value) && !RESERVED.has(value)
    ? null
    : 'must be 1 to 64 of A-Z a-z 0-9 . _ - and no reserved name';
const isName: Rule = (value) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_TEXT_LENGTH} characters`;
const isPropertyName: Rule = (value) =>
  RESERVED.has(value as string) ? 'must be no reserved name' : isName(value);
const isText: Rule = (value) =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH
    ? null
    : `must be a text of at most ${MAX_TEXT_LENGTH} characters`;
const isVersion: Rule = (value) =>
  typeof value === 'string' && valid(value) !== null ? null : 'must be a semantic version such as 1.0.0';
const isFunction: Rule = (value) => (typeof value === 'function' ? null : 'must be a function');
const isBoolean: Rule = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const isRange: Rule = (value) =>
  typeof value === 'string' && validRange(value) !== null ? null : 'must be a version range such as ^1.2.0';
const isSchema: Rule = (value) => (isPlainObject(value) ? null : 'must be a JSON Schema object');
const isFilledList: Rule = (value) =>
  Array.isArray(value) && value.length > 0 ? null : 'must be a list with at least one entry';
const isList: Rule = (value) => (Array.isArray(value) ? null : 'must be a list');
const isTextList: Rule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'string')
    ? null
    : 'must be a list of at least one text';
const isOneOf =
  (allowed: readonly string[]): Rule =>
  (value) =>
    allowed.includes(value as string) ? null : `must be one of ${allowed.join(', ')}`;

const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined ? null : rule(value);

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

const handleRules: Record<string, Rule> = {
  id: isId,
  name: isName,
  description: isText,
  kind: isOneOf(['trigger', 'action']),
  schema: isSchema,
  pure: optional(isBoolean),
  execute: isFunction,
};

const dependencyRules: Record<string, Rule> = {
  pluginId: isId,
  version: optional(isRange),
  optional: optional(isBoolean),
};

const legacyRules: Record<string, Rule> = {
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
};

/** An `options` property without its options would take nothing. */
const optionsRules: Record<string, Rule> = { ...propertyRules, options: isTextList };

/** Everything that is wrong with a unified provider; empty when it is sound. @param id what the list calls it */
export const checkUnified = (id: string, provider: unknown): string[] => {
  const problems = checkFields(provider, unifiedRules, '');
  if (problems.length > 0) return problems;
  const { id: ownId, handles, dependencies = [] } = provider as Lists & { readonly id: string };
  return [
    ...checkListedId(id, 'id', ownId),
    ...checkEach('handles', handles, () => handleRules),
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
    ...checkEach('properties', properties, ({ type }) =>
      type === 'options' ? optionsRules : propertyRules,
    ),
    ...checkTwice(properties),
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
  return typeof twice === 'string' ? [`properties have the name ${describe(twice)} twice`] : [];
};

const checkFields = (value: unknown, rules: Record<string, Rule>, place: string): string[] => {
  if (typeof value !== 'object' || value === null)
    return [`${place === '' ? 'the export is no provider' : `${place.slice(0, -1)} is no object`} but ${describe(value)}`];
  return Object.entries(rules).flatMap(([field, rule]) => {
    const found = (value as Record<string, unknown>)[field];
    const problem = rule(found);
    return problem === null ? [] : [`${place}${field} ${problem}, and is ${describe(found)}`];
  });
};

const describe = (value: unknown): string => {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string')
    return value.length <= 40 ? `"${value}"` : `a text of ${value.length} characters`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
};
