import { type HandleKind, MAIN_OUTPUT, type PluginHandle, type TriggerSource } from '@hookloom/plugin-kit';
import type { NodeType } from '@hookloom/plugin-kit/host';

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
  const { toAddress, register, unregister, resourceOf, takesBatches } = source;
  return {
    toInput: source.toInput.bind(source),
    toKey: source.toKey.bind(source),
    ...(toAddress === undefined ? {} : { toAddress: toAddress.bind(source) }),
    ...(register === undefined ? {} : { register: register.bind(source) }),
    ...(unregister === undefined ? {} : { unregister: unregister.bind(source) }),
    ...(takesBatches === undefined ? {} : { takesBatches: takesBatches.bind(source) }),
    ...(resourceOf === undefined ? {} : { resourceOf: resourceOf.bind(source) }),
  };
};
