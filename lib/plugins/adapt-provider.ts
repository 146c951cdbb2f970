import {
  type ActionProvider,
  type HandleKind,
  type JsonObject,
  type LegacyProperty,
  MAIN_OUTPUT,
  type PluginHandle,
  type PluginProvider,
  type TriggerProvider,
  type TriggerSource,
} from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
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

/** The schema of the parameters of a legacy provider. */
export const toSchema = (properties: readonly LegacyProperty[]): JsonObject => ({
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

/** A unified provider as a plugin; each handle becomes a node type with an executor. */
export const adaptUnified = (provider: PluginProvider): Plugin => ({
  id: provider.id,
  name: provider.name,
  version: provider.version,
  description: provider.description,
  category: provider.category,
  // Copied, like everything here, so that a plugin can't change its metadata after it was checked.
  dependencies: (provider.dependencies ?? []).map(({ pluginId, version, optional = false }) => ({
    pluginId,
    ...(version === undefined ? {} : { version }),
    optional,
  })),
  init: provider.init?.bind(provider),
  destroy: provider.destroy?.bind(provider),
  healthCheck: provider.healthCheck?.bind(provider),
  credentialTypes: (provider.credentialTypes ?? []).map(({ secretFields, hosts, ...type }) => ({
    ...type,
    secretFields: [...secretFields],
    ...(hosts === undefined ? {} : { hosts: typeof hosts === 'function' ? hosts : [...hosts] }),
  })),
  nodeTypes: provider.handles.map((handle) => ({
    nodeType: handle.id,
    kind: handle.kind,
    name: handle.name,
    description: handle.description,
    category: provider.category,
    example: handle.example ?? null,
    pure: handle.kind === 'trigger' || readPurity(handle),
    control: handle.control === undefined ? null : { ...handle.control },
    ...fillInDeclarations(handle),
    firedBy: readSource(handle.kind, handle.firedBy),
    schema: handle.schema,
    getExecutor: async () => ({
      getNodeType: () => handle.id,
      execute: (node, input, context) => handle.execute(node, input, context),
    }),
  })),
});

const readPurity = (handle: PluginHandle): NodeType['pure'] => {
  const { pure = false } = handle;
  return typeof pure === 'function' ? pure.bind(handle) : pure;
};

type Declaration =
  | 'literalParameters'
  | 'checkParameters'
  | 'outputs'
  | 'inputs'
  | 'endsBranch'
  | 'credentialTypes'
  | 'credentialRequired'
  | 'credentialTypesFor'
  | 'awsCalls';
type Declared = Pick<PluginHandle, Declaration>;

/** The declarations of a node type of either plugin API, with defaults. Lists are copied. */
export const fillInDeclarations = (declared: Declared): Pick<NodeType, Declaration> => {
  const {
    literalParameters = [],
    inputs = [MAIN_OUTPUT],
    endsBranch = false,
    credentialTypes = [],
    credentialRequired: needs = false,
  } = declared;
  return {
    literalParameters: [...literalParameters],
    checkParameters: declared.checkParameters?.bind(declared) ?? null,
    outputs: readOutputs(declared),
    inputs: [...inputs],
    endsBranch,
    credentialTypes: [...credentialTypes],
    credentialRequired: typeof needs === 'function' ? needs.bind(declared) : needs,
    credentialTypesFor: declared.credentialTypesFor?.bind(declared) ?? null,
    awsCalls: declared.awsCalls?.bind(declared) ?? null,
  };
};

/** Binds a function to its object, so that it may use `this`. */
const readOutputs = (declared: Declared): NodeType['outputs'] => {
  const { outputs = [MAIN_OUTPUT] } = declared;
  return typeof outputs === 'function' ? outputs.bind(declared) : [...outputs];
};

/** What fires a node type of this kind. Its functions are bound to their object, like those that compute outputs. */
const readSource = (kind: HandleKind, source: TriggerSource | undefined): TriggerSource | null => {
  if (kind === 'action' || source === undefined) return null;
  if (typeof source === 'string') return source;
  const { toAddress, register, unregister, resourceOf, takesBatches, poll } = source;
  return {
    toInput: source.toInput.bind(source),
    toKey: source.toKey.bind(source),
    ...(toAddress === undefined ? {} : { toAddress: toAddress.bind(source) }),
    ...(register === undefined ? {} : { register: register.bind(source) }),
    ...(unregister === undefined ? {} : { unregister: unregister.bind(source) }),
    ...(takesBatches === undefined ? {} : { takesBatches: takesBatches.bind(source) }),
    ...(resourceOf === undefined ? {} : { resourceOf: resourceOf.bind(source) }),
    ...(poll === undefined ? {} : { poll: poll.bind(source) }),
  };
};
