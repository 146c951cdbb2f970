import { isMap, type JsonMap } from '@hookloom/bounded-schema';

/** How a field of a form is filled in. */
type FieldKind = 'line' | 'text' | 'email' | 'number' | 'integer' | 'boolean' | 'date' | 'choice';

export type Scalar = string | number | boolean;

/** A field of a form: a property of a JSON Schema. */
export interface FormField {
  /** Name of the property: any string. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly title: string;
  readonly description: string | null;
  readonly isRequired: boolean;
  /** The options of a choice; empty for other kinds. */
  readonly options: readonly Scalar[];
  /** Initial value of the field, as it would be typed. */
  readonly initial: string;
  readonly schema: JsonMap;
}

/** The hidden field that identifies a page submitted twice; schema fields can't have this name. */
export const FORM_PAGE_ID = 'form-page-id';

/** Strings that may be longer get a multi-line field. */
const MAX_LINE = 200;

/** @param schema - a schema without problems, see {@link findFormProblems}: properties that can't be form fields are omitted */
export const toFields = (schema: JsonMap): readonly FormField[] => {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const kind = isMap(property) ? kindOf(property) : null;
    if (kind === null || !isMap(property)) return [];
    return {
      name,
      kind,
      title: filledTextOf(property.title) ?? name,
      description: filledTextOf(property.description),
      isRequired: required.includes(name),
      options: kind === 'choice' ? scalarsOf(property.enum) : [],
      initial: isScalar(property.default) ? String(property.default) : '',
      schema: property,
    };
  });
};

export const propertiesOf = ({ properties }: JsonMap): JsonMap => (isMap(properties) ? properties : {});

/** Returns the kind of form field for a property; null if it can't be one. */
export const kindOf = (property: JsonMap): FieldKind | null => {
  const { type, format, maxLength } = property;
  if (Array.isArray(property.enum)) return scalarsOf(property.enum).length > 0 ? 'choice' : null;
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  if (type !== 'string') return null;
  if (format === 'date' || format === 'email') return format === 'date' ? 'date' : 'email';
  return typeof maxLength === 'number' && maxLength > MAX_LINE ? 'text' : 'line';
};

/** Returns the values if all are scalars that differ as strings; otherwise an empty list. */
const scalarsOf = (values: unknown): readonly Scalar[] => {
  if (!Array.isArray(values) || !values.every(isScalar)) return [];
  return new Set(values.map(String)).size === values.length ? values : [];
};

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const filledTextOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** Describes what a field accepts, in a sentence; null if it has no limits. */
export const describeLimits = ({ kind, schema }: FormField): string | null => {
  const limit = (keyword: string): number | null => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : null;
  };
  if (kind === 'number' || kind === 'integer') {
    const noun = kind === 'integer' ? 'A whole number' : 'A number';
    return (
      describeRange(noun, limit('minimum'), limit('maximum')) ?? (kind === 'integer' ? `${noun}.` : null)
    );
  }
  const isText = kind === 'line' || kind === 'text';
  return isText ? describeLength(limit('minLength'), limit('maxLength')) : null;
};

const describeRange = (noun: string, min: number | null, max: number | null): string | null => {
  if (min !== null && max !== null) return `${noun} from ${min} to ${max}.`;
  if (min !== null) return `${noun} of ${min} or more.`;
  return max === null ? null : `${noun} of ${max} or less.`;
};

const describeLength = (min: number | null, max: number | null): string | null => {
  const parts = [
    ...(min !== null && min > 1 ? [`at least ${min}`] : []),
    ...(max === null ? [] : [`at most ${max}`]),
  ];
  return parts.length === 0 ? null : sentence(`${parts.join(' and ')} characters.`);
};

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
