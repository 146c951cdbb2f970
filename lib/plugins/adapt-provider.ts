import {
  type HandleKind,
  MAIN_OUTPUT,
  type PluginHandle,
  type PluginProvider,
  type TriggerSource,
} from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';
import type { Plugin } from './plugin.ts';

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
      execute: handle.execute.bind(handle),
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
export const readSource = (kind: HandleKind, source: TriggerSource | undefined): TriggerSource | null => {
  if (kind === 'action' || source === undefined) return null;
  if (typeof source === 'string') return source;
  const { toAddress, register, unregister, resourceOf, takesBatches, poll, form } = source;
  return {
    toInput: source.toInput.bind(source),
    toKey: source.toKey.bind(source),
    ...(toAddress === undefined ? {} : { toAddress: toAddress.bind(source) }),
    ...(register === undefined ? {} : { register: register.bind(source) }),
    ...(unregister === undefined ? {} : { unregister: unregister.bind(source) }),
    ...(takesBatches === undefined ? {} : { takesBatches: takesBatches.bind(source) }),
    ...(resourceOf === undefined ? {} : { resourceOf: resourceOf.bind(source) }),
    ...(poll === undefined ? {} : { poll: poll.bind(source) }),
    ...(form === undefined ? {} : { form }),
  };
};
