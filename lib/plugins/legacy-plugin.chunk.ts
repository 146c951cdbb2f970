import type {
  ActionProvider,
  HandleKind,
  JsonObject,
  LegacyProperty,
  TriggerProvider,
} from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { copyDeclared, fillInDeclarations, readSource } from './adapt-provider.ts';
import { declarations, findProblems, listed } from './metadata/check-metadata.ts';
import * as field from './metadata/metadata-fields.ts';
import type { Plugin } from './plugin.ts';

// The legacy plugin API, in a file of its own: workflows without such a node load none of it.

/** A legacy provider as a plugin with one node type, so that the rest of the code handles one kind of plugin. */
export const adaptLegacy = (
  id: string,
  kind: HandleKind,
  provider: TriggerProvider | ActionProvider,
): Plugin => {
  const { nodeType, displayName, description, category, version, properties } = provider;
  return {
    id,
    name: displayName,
    version,
    description,
    category,
    dependencies: [],
    ...copyDeclared(provider, ['healthCheck']),
    credentialTypes: [],
    nodeTypes: [
      {
        nodeType,
        kind,
        name: displayName,
        description,
        category,
        example: provider.example ?? null,
        // A trigger does nothing but convert its input to data.
        pure: kind === 'trigger' || ('pure' in provider && provider.pure === true),
        control: null,
        ...fillInDeclarations(provider),
        firedBy: 'firedBy' in provider ? readSource(kind, provider.firedBy) : null,
        schema: toSchema(properties),
        getExecutor: async () => provider.getExecutor(),
      },
    ],
  };
};

const toSchema = (properties: readonly LegacyProperty[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(properties.map((property) => [property.name, toPropertySchema(property)])),
  required: properties.filter(({ required }) => required === true).map(({ name }) => name),
  additionalProperties: false,
});

const toPropertySchema = ({
  type,
  displayName,
  description,
  options,
  pattern,
  default: initial,
}: LegacyProperty) => ({
  title: displayName,
  ...(description === undefined ? {} : { description }),
  ...(type === 'any' ? {} : { type: type === 'options' ? 'string' : type }),
  ...(options === undefined ? {} : { enum: options }),
  ...(pattern === undefined ? {} : { pattern }),
  ...(initial === undefined ? {} : { default: initial }),
});

const property = v.pipe(
  field.shape({
    name: field.propertyName,
    displayName: field.name,
    type: field.oneOf(['string', 'number', 'boolean', 'options', 'object', 'array', 'any']),
    description: v.optional(field.text),
    required: v.optional(field.boolean),
    default: v.optional(field.json),
    options: v.optional(field.texts),
    pattern: v.optional(field.pattern),
  }),
  v.forward(
    v.check(
      ({ type, options }) => type !== 'options' || options !== undefined,
      'must be a list of at least one string',
    ),
    ['options'],
  ),
);

const legacyProvider = (listedId: string) =>
  field.shape({
    ...declarations,
    firedBy: v.optional(field.triggerSource),
    nodeType: listed(listedId),
    displayName: field.name,
    description: field.text,
    category: field.text,
    version: field.version,
    properties: v.pipe(
      field.list(property),
      v.check(
        (properties) => findRepeated(properties) === undefined,
        ({ input }) => `must not contain ${field.describeValue(findRepeated(input))} twice`,
      ),
    ),
    getExecutor: field.method,
    pure: v.optional(field.boolean),
    healthCheck: v.optional(field.method),
  });

const findRepeated = (properties: readonly { readonly name: string }[]): string | undefined =>
  properties.map(({ name }) => name).find((name, index, all) => all.indexOf(name) < index);

/** All problems of a legacy provider; empty if it is valid. @param id - its id in the list, which is the node type */
export const checkLegacy = (id: string, provider: unknown): string[] =>
  findProblems(legacyProvider(id), provider);
