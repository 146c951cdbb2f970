import { isBigInteger, isPlainObject } from '@hookloom/plugin-kit';
import { parseJson } from '../../parts/parse-json.ts';
import type { DefinitionNode } from './definition.ts';

/** A field of a form for an input, or for the body of a request. */
export interface InputField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice';
  readonly isRequired: boolean;
  /** Of a choice, as JSON. */
  readonly choices: readonly string[];
}

const KINDS: Readonly<Record<string, InputField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

const toInputField = (name: string, schema: unknown, isRequired: boolean): InputField | null => {
  if (!isPlainObject(schema)) return null;
  const choices = Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : [];
  const kind = choices.length > 0 ? 'choice' : KINDS[String(schema.type)];
  if (kind === undefined) return null;
  return {
    name,
    label: typeof schema.title === 'string' ? schema.title : name,
    description: typeof schema.description === 'string' ? schema.description : '',
    kind,
    isRequired,
    choices,
  };
};

/**
 * The fields that a trigger declares with its schema.
 *
 * @returns null if it declares none, or one that a form of simple fields can't fill
 */
export const toInputFields = ({
  parameters = {},
}: Pick<DefinitionNode, 'parameters'>): readonly InputField[] | null => {
  const { schema } = parameters;
  if (!isPlainObject(schema) || !isPlainObject(schema.properties)) return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    toInputField(name, property, required.includes(name)),
  );
  const simple = fields.filter((field) => field !== null);
  return simple.length === fields.length && fields.length > 0 ? simple : null;
};

/** The input of a run from what was filled in: a webhook's body, or the input itself. Fields that are empty are left out. */
export const toInput = (
  type: string,
  fields: readonly InputField[],
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> => {
  const input = Object.fromEntries(
    fields.flatMap(({ name, kind }): [string, unknown][] => {
      const text = values[name] ?? '';
      if (text === '') return [];
      if (kind === 'text') return [[name, text]];
      if (kind === 'number') return [[name, isBigInteger(text.trim()) ? text.trim() : Number(text)]];
      return [[name, JSON.parse(text)]];
    }),
  );
  return type === 'webhookTrigger' ? { body: input } : input;
};

const STARTS: Readonly<Record<string, unknown>> = {
  webhookTrigger: { body: {} },
  eventTrigger: { event: {} },
  queueTrigger: { message: {} },
};

/** A JSON text to begin the input of a trigger with. */
export const startOfInput = (type: string): string => JSON.stringify(STARTS[type] ?? {}, null, 2);

/** @returns the object, or the reason why a text is none */
export const parseInput = (
  text: string,
): { readonly input: Readonly<Record<string, unknown>> } | { readonly reason: string } => {
  try {
    const input = parseJson(text.trim() === '' ? '{}' : text);
    return isPlainObject(input) ? { input } : { reason: 'The input must be a JSON object.' };
  } catch (error) {
    const isDeep = error instanceof RangeError;
    return { reason: isDeep ? 'The input is nested too deeply.' : 'This is not valid JSON.' };
  }
};
