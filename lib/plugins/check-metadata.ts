import valid from 'semver/functions/valid.js';
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
const isText: Rule = (value) =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH
    ? null
    : `must be a text of at most ${MAX_TEXT_LENGTH} characters`;
const isVersion: Rule = (value) =>
  typeof value === 'string' && valid(value) !== null ? null : 'must be a semantic version such as 1.0.0';
const isFunction: Rule = (value) => (typeof value === 'function' ? null : 'must be a function');
const isOptionalFunction: Rule = (value) => (value === undefined ? null : isFunction(value));
const isSchema: Rule = (value) => (isPlainObject(value) ? null : 'must be a JSON Schema object');
const isFilledList: Rule = (value) =>
  Array.isArray(value) && value.length > 0 ? null : 'must be a list with at least one entry';
const isList: Rule = (value) => (Array.isArray(value) ? null : 'must be a list');
const isOptionalList: Rule = (value) => (value === undefined ? null : isList(value));
const isOneOf =
  (allowed: readonly string[]): Rule =>
  (value) =>
    allowed.includes(value as string) ? null : `must be one of ${allowed.join(', ')}`;

const unifiedRules: Record<string, Rule> = {
  id: isId,
  name: isName,
  version: isVersion,
  description: isText,
  category: isText,
  handles: isFilledList,
  dependencies: isOptionalList,
  init: isOptionalFunction,
  destroy: isOptionalFunction,
  healthCheck: isOptionalFunction,
};

const handleRules: Record<string, Rule> = {
  id: isId,
  name: isName,
  description: isText,
  kind: isOneOf(['trigger', 'action']),
  schema: isSchema,
  execute: isFunction,
};

const legacyRules: Record<string, Rule> = {
  nodeType: isId,
  displayName: isName,
  description: isText,
  category: isText,
  version: isVersion,
  properties: isList,
  getExecutor: isFunction,
  healthCheck: isOptionalFunction,
};

const propertyRules: Record<string, Rule> = {
  name: isName,
  displayName: isName,
  type: isOneOf(PROPERTY_TYPES),
};

/** Everything that is wrong with a unified provider; empty when it is sound. @param id what the list calls it */
export const checkUnified = (id: string, provider: unknown): string[] => {
  const problems = checkFields(provider, unifiedRules, '');
  if (problems.length > 0) return problems;
  const { id: ownId, handles } = provider as { id: string; handles: unknown[] };
  if (ownId !== id)
    problems.push(`id must be "${id}", as in the list of installed plugins, and is "${ownId}"`);
  handles.forEach((handle, index) => {
    problems.push(...checkFields(handle, handleRules, `handles[${index}].`));
  });
  return problems;
};

/** The same for a legacy provider. */
export const checkLegacy = (provider: unknown): string[] => {
  const problems = checkFields(provider, legacyRules, '');
  if (problems.length > 0) return problems;
  const { properties } = provider as { properties: unknown[] };
  properties.forEach((property, index) => {
    problems.push(...checkFields(property, propertyRules, `properties[${index}].`));
  });
  return problems;
};

const checkFields = (value: unknown, rules: Record<string, Rule>, place: string): string[] => {
  if (typeof value !== 'object' || value === null)
    return [`${place || 'the export '}is no provider but ${describe(value)}`];
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
