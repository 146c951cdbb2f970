import type { JsonObject } from '@hookloom/plugin-kit';
import { describeError } from '../plugins/describe-error.ts';
import type { Plugin } from '../plugins/plugin.ts';
import { findSchemaError } from '../workflows/validation/schema/find-schema-error.ts';

/** The plugin's schemas that do not compile; workflows that use them cannot be stored. */
export const findSchemaProblems = ({
  nodeTypes,
  credentialTypes,
}: Pick<Plugin, 'nodeTypes' | 'credentialTypes'>): string[] => [
  ...nodeTypes.flatMap(({ nodeType, schema }) => describe(`the node type "${nodeType}"`, schema)),
  ...credentialTypes.flatMap(({ id, schema }) => describe(`the credential type "${id}"`, schema)),
];

const describe = (owner: string, schema: JsonObject): string[] => {
  const error = findSchemaError(schema);
  if (error === null) return [];
  const place = error.place === '' ? '' : ` at ${error.place}`;
  return [`the schema of ${owner} does not compile${place}: ${describeError(error.message)}`];
};
