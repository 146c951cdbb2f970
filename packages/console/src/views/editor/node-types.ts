import { type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../api/api.ts';
import type { OutputsOf } from '../../parts/graph/graph-layout.ts';
import type { DeclaredType } from '../../worker/validate-draft.ts';
import type { EditedDefinition } from './definition/definition-edits.ts';

export const typeQuery = (nodeType: string) => ({
  queryKey: ['GET /api/admin/node-types/{nodeType}', { nodeType }, undefined],
  queryFn: () => callApi('GET /api/admin/node-types/{nodeType}', { params: { nodeType } }),
  staleTime: 60_000,
});

/** The declarations of the types of a workflow's nodes, by type, as they arrive. */
export const useTypes = (definition: TypedNodes): ReadonlyMap<string, DeclaredType> =>
  useQueries({ queries: namesOf(definition).map(typeQuery), combine: combineTypes });

/** How to wait for all declarations of a definition. */
export const useLoadTypes = () => {
  const client = useQueryClient();
  return (definition: TypedNodes) => loadTypes(client, definition);
};

const loadTypes = async (
  client: QueryClient,
  definition: TypedNodes,
): Promise<ReadonlyMap<string, DeclaredType>> => {
  const load = (name: string) =>
    client.ensureQueryData(typeQuery(name)).then(
      (data) => ({ data }),
      () => ({}), // the type is unknown
    );
  return combineTypes(await Promise.all(namesOf(definition).map(load)));
};

interface TypedNodes {
  readonly nodes: readonly { readonly type: string }[];
}

const namesOf = ({ nodes }: TypedNodes): readonly string[] =>
  [...new Set(nodes.map(({ type }) => type))].sort();

const combineTypes = (results: readonly { readonly data?: DeclaredType | undefined }[]) =>
  new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.nodeType, data] as const])));

/** Ids of the triggers: no connection can lead to them, unless a mistaken one does. */
export const findWithoutInput = (
  { nodes, connections = [] }: EditedDefinition,
  types: ReadonlyMap<string, DeclaredType>,
): ReadonlySet<string> => {
  const targets = new Set(connections.map(({ targetNodeId }) => targetNodeId));
  return new Set(
    nodes
      .filter(({ id, type }) => types.get(type)?.kind === 'trigger' && !targets.has(id))
      .map(({ id }) => id),
  );
};

/** Finds the outputs of a node by its id: those that its type declares, and those that connections use. */
export const findOutputs = (
  { nodes, connections = [] }: EditedDefinition,
  types: ReadonlyMap<string, DeclaredType>,
): OutputsOf => {
  const used = Map.groupBy(connections, ({ sourceNodeId }) => sourceNodeId);
  const outputs = new Map(
    nodes.map(({ id, type, settings }) => {
      const routed = settings?.onError === 'route' ? ['error'] : [];
      const connected = (used.get(id) ?? []).map(({ sourceOutput = 'main' }) => sourceOutput);
      const declared = types.get(type)?.outputs ?? (connected.length === 0 ? ['main'] : []);
      return [id, [...new Set([...declared, ...routed, ...connected])]] as const;
    }),
  );
  return (id) => outputs.get(id) ?? ['main'];
};
