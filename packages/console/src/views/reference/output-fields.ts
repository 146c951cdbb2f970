import { isPlainObject } from '@hookloom/plugin-kit';
import { casesOf, printType } from '../../../../authoring/reference/print-node-type.ts';
import type { SchemaField } from './schema-fields.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Schemas within schemas are followed so far. */
const MAX_DEPTH = 8;

/** What the outputs of a node type deliver, as far as it is declared: each output, its fields, and the cases that parameters choose. */
export const toOutputFields = (
  names: readonly string[],
  schemas: Readonly<Record<string, unknown>>,
): readonly SchemaField[] => names.map((name) => toField(name, toSchema(schemas[name]), '', 0));

const toSchema = (value: unknown): Schema => (isPlainObject(value) ? value : {});

const toField = (name: string, schema: Schema, remark: string, depth: number): SchemaField => {
  const fields = depth > MAX_DEPTH ? [] : fieldsOf(schema, depth + 1);
  const description = typeof schema.description === 'string' ? schema.description : '';
  return {
    ...{ name, type: printType(schema), isRequired: false, initial: null, allowed: [], limits: [] },
    description: [description, remark].filter((text) => text !== '').join('. '),
    groups: fields.length === 0 ? [] : [fields],
  };
};

const fieldsOf = (schema: Schema, depth: number): readonly SchemaField[] => {
  const { cases, merged, properties, required, items, anyOf, additionalProperties } = schema;
  if (isPlainObject(cases))
    return casesOf(schema).map(({ when, schema: own }) =>
      toField(when.startsWith('with') ? when : `with ${when}`, own, '', depth),
    );
  if (isPlainObject(properties)) {
    const always: readonly unknown[] = Array.isArray(required) ? required : [];
    return Object.entries(properties).map(([name, own]) =>
      toField(name, toSchema(own), always.includes(name) ? '' : 'May be absent', depth),
    );
  }
  return [merged, anyOf, [items, additionalProperties]]
    .flatMap((parts): readonly unknown[] => (Array.isArray(parts) ? parts : []))
    .filter(isPlainObject)
    .flatMap((part) => fieldsOf(part, depth));
};
