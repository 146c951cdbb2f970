import type { JsonObject } from '@hookloom/plugin-kit';

/** A property of a schema: a string with other keywords. */
type TextProperty = JsonObject & { readonly description: string };

/**
 * The schema of a credential type: an object of texts.
 *
 * @param required - names of required fields, separated by spaces
 */
export const textSchema = (
  required: string,
  properties: Readonly<Record<string, TextProperty>>,
): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: required.split(' '),
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, { type: 'string', ...property }]),
  ),
});
