import type {
  ActionProvider,
  HandleKind,
  JsonObject,
  LegacyProperty,
  TriggerProvider,
} from '@hookloom/plugin-kit';
import { fillInDeclarations, readSource } from './fill-in-declarations.ts';
import type { Plugin } from './plugin.ts';

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
    init: undefined,
    destroy: undefined,
    healthCheck: provider.healthCheck?.bind(provider),
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

/** Legacy properties as JSON Schema. */
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
