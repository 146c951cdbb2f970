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
  ...copyDeclared(provider, ['id', 'name', 'version', 'description', 'category']),
  ...copyDeclared(provider, ['init', 'destroy', 'healthCheck']),
  dependencies: (provider.dependencies ?? []).map((dependency) => ({ optional: false, ...dependency })),
  credentialTypes: (provider.credentialTypes ?? []).map((type) => ({
    ...type,
    ...copyDeclared(type, ['secretFields', 'hosts']),
  })),
  nodeTypes: provider.handles.map((handle) => ({
    nodeType: handle.id,
    ...copyDeclared(handle, ['kind', 'name', 'description', 'schema']),
    category: provider.category,
    example: handle.example ?? null,
    pure: handle.kind === 'trigger' || (copyDeclared(handle, ['pure']).pure ?? false),
    control: handle.control === undefined ? null : { ...handle.control },
    ...fillInDeclarations(handle),
    firedBy: readSource(handle.kind, handle.firedBy),
    getExecutor: async () => ({
      getNodeType: () => handle.id,
      execute: handle.execute.bind(handle),
    }),
  })),
});

/**
 * Copies what an object declares under some names, so that a plugin can't change it after it was checked. Functions are
 * bound to the object, so that they may use `this`.
 */
export const copyDeclared = <Declared extends object, const Name extends keyof Declared>(
  declared: Declared,
  names: readonly Name[],
): Pick<Declared, Name> => {
  const copied = names.flatMap((name) => {
    const value = declared[name];
    if (value === undefined) return [];
    const copy = Array.isArray(value) ? [...value] : value;
    return [[name, typeof copy === 'function' ? copy.bind(declared) : copy]];
  });
  return Object.fromEntries(copied) as Pick<Declared, Name>;
};

/** What node types of both plugin APIs declare alike. */
type Declaration = Exclude<
  keyof NodeType & keyof PluginHandle,
  'kind' | 'pure' | 'control' | 'firedBy' | 'schema'
>;

const undeclared: Pick<NodeType, Declaration> = {
  literalParameters: [],
  checkParameters: null,
  outputs: [MAIN_OUTPUT],
  inputs: [MAIN_OUTPUT],
  endsBranch: false,
  options: {},
  credentialTypes: [],
  credentialRequired: false,
  credentialTypesFor: null,
  awsCalls: null,
};

/** The declarations of a node type, with defaults. */
export const fillInDeclarations = (
  declared: Pick<PluginHandle, Declaration>,
): Pick<NodeType, Declaration> => ({
  ...undeclared,
  ...copyDeclared(declared, Object.keys(undeclared) as Declaration[]),
});

/** What fires a node type of this kind. */
export const readSource = (kind: HandleKind, source: TriggerSource | undefined): TriggerSource | null => {
  if (kind === 'action' || source === undefined) return null;
  if (typeof source === 'string') return source;
  return copyDeclared(source, [
    'toInput',
    'toKey',
    'toAddress',
    'register',
    'unregister',
    'inspect',
    'resourceOf',
    'takesBatches',
    'poll',
    'form',
  ]);
};
