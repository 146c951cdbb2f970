import { ERROR_OUTPUT, isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { NodeTypeDescription } from '../../../lib/plugins/reference/describe-node-type.ts';
import { workflowSchema } from '../../../lib/workflows/definition/schema.ts';

/**
 * JSON Schema of workflow files, with the parameters of each node type: for editors, which complete and check files
 * that name it by `$schema`. It is draft-07, the newest that editors support in full, and allows everything that
 * `validateWorkflow` allows; what a schema can't express, such as connections to nodes that do not exist, only
 * `validateWorkflow` reports.
 */
export const createWorkflowSchema = (nodeTypes: readonly NodeTypeDescription[]): JsonObject => {
  const { nodes, connections } = workflowSchema.properties;
  return {
    ...workflowSchema,
    properties: {
      ...workflowSchema.properties,
      nodes: { ...nodes, items: { $ref: '#/definitions/node' } },
      connections: { ...connections, items: describeConnection(nodeTypes) },
    },
    definitions: {
      node: describeNode(nodeTypes),
      expression,
      ...Object.fromEntries(nodeTypes.map((type) => [parametersKeyOf(type), describeParameters(type)])),
    },
  };
};

/** What may be in the place of a value: with text around it, it is a string. */
const expression: JsonObject = {
  type: 'string',
  pattern: '\\{\\{',
  description: 'An expression, evaluated when the node runs: {{ body.name }}',
};

const parametersKeyOf = ({ nodeType }: NodeTypeDescription): string => `parameters.${nodeType}`;

/** A node, whose type decides which parameters it has. */
const describeNode = (nodeTypes: readonly NodeTypeDescription[]): JsonObject => {
  const { items } = workflowSchema.properties.nodes;
  return {
    ...items,
    properties: {
      ...items.properties,
      type: {
        ...items.properties.type,
        enum: nodeTypes.map(({ nodeType }) => nodeType),
        enumDescriptions: nodeTypes.map(({ description }) => description), // known to editors alone
      },
    },
    allOf: nodeTypes.map((type) => ({
      if: { properties: { type: { const: type.nodeType } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        ...(needsParameters(type) ? { required: ['parameters'] } : {}),
        properties: {
          parameters: { $ref: `#/definitions/${parametersKeyOf(type)}` },
          ...(type.credentialTypes.length === 0 ? { credentialId: false } : {}),
        },
      },
    })),
  };
};

/**
 * A connection, with the names of outputs and inputs that editors offer. Any others are allowed: a schema can't tell the type of
 * the node at an end, and those of `switch` are made up by the author.
 */
const describeConnection = (nodeTypes: readonly NodeTypeDescription[]): JsonObject => {
  const { items } = workflowSchema.properties.connections;
  const { sourceOutput, targetInput } = items.properties;
  const fixed = nodeTypes.map(({ outputsDependOnParameters, ...type }) =>
    outputsDependOnParameters ? { ...type, outputs: [] } : type,
  );
  return {
    ...items,
    properties: {
      ...items.properties,
      sourceOutput: offer(sourceOutput, [
        ...fixed.flatMap(({ nodeType, outputs }) => (outputs ?? []).map((name) => [name, nodeType] as const)),
        [ERROR_OUTPUT, 'nodes with onError: route'],
      ]),
      targetInput: offer(
        targetInput,
        nodeTypes.flatMap(({ nodeType, inputs }) => inputs.map((name) => [name, nodeType] as const)),
      ),
    },
  };
};

/** More node types that have a name are not named. */
const MAX_OWNERS = 5;

/** A text with names that editors offer, and whose they are. */
const offer = (
  { description, ...schema }: { readonly description: string },
  names: readonly (readonly [name: string, owner: string])[],
): JsonObject => {
  const owners = Map.groupBy(names, ([name]) => name);
  return {
    description,
    anyOf: [
      {
        enum: [...owners.keys()],
        enumDescriptions: [...owners.values()].map((all) =>
          all.length > MAX_OWNERS
            ? 'of many node types'
            : `of ${[...new Set(all.map(([, owner]) => owner))].join(', ')}`,
        ),
      },
      schema,
    ],
  };
};

const needsParameters = ({ schema }: NodeTypeDescription): boolean =>
  Array.isArray(schema.required) && schema.required.length > 0;

const describeParameters = (type: NodeTypeDescription): JsonObject => {
  const { kind, description, example, literalParameters } = type;
  const place = `#/definitions/${parametersKeyOf(type)}`;
  // A trigger is set up before any run, which could evaluate an expression.
  const schema = adapt(place, kind === 'action').inside(type.schema, literalParameters) as JsonObject;
  return {
    description,
    ...(example === null ? {} : { examples: [example.parameters] }),
    ...schema,
  };
};

/** Keywords whose values are schemas by name: of parts of the value, and to refer to. */
const NAMED_PARTS = new Set(['properties', 'patternProperties']);
const DEFINITIONS = new Set(['definitions', '$defs']);
/** Keywords whose values are schemas of parts of the value. */
const PARTS = new Set(['items', 'additionalItems', 'additionalProperties']);
/** Keywords whose values are schemas of the value itself. */
const WHOLE = new Set(['anyOf', 'oneOf', 'allOf', 'then', 'else']);
/** Keywords with conditions, which see an expression as the string that it is. */
const CONDITIONS = new Set(['if', 'not', 'contains', 'propertyNames']);

/** Keywords that may refuse an expression, among strings. */
const LIMITS = 'enum const pattern format maxLength not if anyOf oneOf allOf $ref'.split(' ');
const SHORTEST_EXPRESSION = '{{x}}'.length;

/**
 * Adapts a schema of parameters.
 *
 * @param place - where it will be; references to its root become references to there
 * @param takesExpressions - whether expressions may replace values
 */
const adapt = (place: string, takesExpressions: boolean) => {
  /** Adapts the schemas inside. @param literal - keys of the value that take no expressions */
  const inside = (schema: JsonValue, literal: readonly string[] = []): JsonValue => {
    if (!isPlainObject(schema)) return schema;
    const entries = Object.entries(toDraft7(schema as JsonObject)).map(([keyword, value]) => [
      keyword,
      adaptKeyword(keyword, value, literal),
    ]);
    return toAnyOf(Object.fromEntries(entries), schema as JsonObject);
  };

  const adaptKeyword = (keyword: string, value: JsonValue, literal: readonly string[]): JsonValue => {
    if (keyword === '$ref') return String(value).replace(/^#/, place);
    if (NAMED_PARTS.has(keyword))
      return mapValues(value, (part, name) => (literal.includes(name) ? plain(part) : inPlace(part)));
    if (DEFINITIONS.has(keyword)) return mapValues(value, (schema) => inside(schema));
    if (PARTS.has(keyword)) return mapSchemas(value, inPlace);
    if (WHOLE.has(keyword)) return mapSchemas(value, (schema) => inside(schema, literal));
    return CONDITIONS.has(keyword) ? plain(value) : value;
  };

  const plain = (schema: JsonValue): JsonValue => adapt(place, false).inside(schema);

  /** Adapts the schema of a part, in whose place there may be an expression. */
  const inPlace = (schema: JsonValue): JsonValue => {
    const adapted = inside(schema);
    if (!takesExpressions || !isPlainObject(adapted) || allowsExpressions(adapted)) return adapted;
    // Editors show these also while the value is missing.
    const { title, description, default: initial, examples, ...limits } = adapted;
    const shown = Object.entries({ title, description, default: initial, examples });
    return {
      ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)),
      anyOf: [limits, { $ref: '#/definitions/expression' }],
    } as JsonObject;
  };

  return { inside };
};

const allowsExpressions = (schema: Readonly<Record<string, unknown>>): boolean => {
  const { type = 'string', minLength = 0 } = schema;
  return (
    [type].flat().includes('string') &&
    Number(minLength) <= SHORTEST_EXPRESSION &&
    LIMITS.every((keyword) => schema[keyword] === undefined)
  );
};

/** Draft-07 has no `prefixItems`. Leaves out our own keywords. */
const toDraft7 = ({
  prefixItems,
  withoutResult: _,
  holes: _holes,
  constant: _data,
  ...schema
}: JsonObject): JsonObject =>
  prefixItems === undefined
    ? schema
    : { ...schema, items: prefixItems, additionalItems: schema.items ?? true };

/** An expression may match several branches of a `oneOf`, which differ in their values. */
const toAnyOf = (adapted: JsonObject, { oneOf: former }: JsonObject): JsonObject => {
  const { oneOf, allOf = [], ...others } = adapted;
  if (oneOf === undefined || JSON.stringify(oneOf) === JSON.stringify(former)) return adapted;
  return { ...others, allOf: [...(allOf as readonly JsonValue[]), { anyOf: oneOf }] };
};

const mapValues = (value: JsonValue, map: (value: JsonValue, name: string) => JsonValue): JsonObject =>
  Object.fromEntries(Object.entries(value as JsonObject).map(([name, item]) => [name, map(item, name)]));

const mapSchemas = (value: JsonValue, map: (schema: JsonValue) => JsonValue): JsonValue =>
  Array.isArray(value) ? value.map(map) : map(value);
