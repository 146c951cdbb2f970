import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { DefinitionNode } from '../../workflow/definition.ts';
import type { DeclaredType, NodeData } from './trial-data.ts';

/** The output that a trigger has by way of example: its type's, with a body, or an input, as the trigger's schema describes it. */
export const exampleOf = (
  { type, parameters = {} }: DefinitionNode,
  declared: DeclaredType | undefined,
): NodeData => {
  const output = declared?.example?.output;
  const main = isPlainObject(output) ? (output as JsonObject) : {};
  const { schema } = parameters;
  return {
    from: 'example',
    id: 'example',
    at: null,
    outputs: { main: isPlainObject(schema) ? describedBy(schema, type, main) : main },
    isPinned: false,
    isCut: false,
    run: null,
    stamp: '',
  };
};

const describedBy = (schema: object, type: string | undefined, main: JsonObject): JsonObject => {
  const given = exampleOfSchema(schema, MAX_DEPTH);
  if (type === 'webhookTrigger') return { ...main, body: given };
  const { triggeredAt = null, triggerType = null } = main;
  return { triggeredAt, triggerType, ...(isPlainObject(given) ? (given as JsonObject) : {}) };
};

const MAX_DEPTH = 8;
const MAX_PROPERTIES = 100;

/** A value that a JSON Schema describes: what it gives as an example, or else the simplest of its type. */
const exampleOfSchema = (schema: unknown, depth: number): JsonValue => {
  if (!isPlainObject(schema) || depth === 0) return null;
  const { examples, type, properties, items, minimum, oneOf, anyOf } = schema as Readonly<
    Record<string, unknown>
  >;
  for (const given of [schema.example, first(examples), schema.default, schema.const, first(schema.enum)])
    if (given !== undefined) return given as JsonValue;
  const kind = first(type) ?? type ?? (isPlainObject(properties) ? 'object' : undefined);
  switch (kind) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isPlainObject(properties) ? properties : {})
          .slice(0, MAX_PROPERTIES)
          .map(([name, property]) => [name, exampleOfSchema(property, depth - 1)]),
      );
    case 'array':
      return items === undefined ? [] : [exampleOfSchema(items, depth - 1)];
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return true;
    default: {
      const alternative = first(oneOf) ?? first(anyOf);
      return alternative === undefined ? null : exampleOfSchema(alternative, depth - 1);
    }
  }
};

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
