import { useMemo } from 'react';
import { useApi, useApiPages } from '../../api/use-api.ts';
import { useValidation } from '../../worker/use-validation.ts';
import type { DeclaredType, KnownTypes } from '../../worker/validate-draft.ts';
import type { EditedDefinition } from './definition/definition-edits.ts';
import {
  findRefusals,
  ofWorkflow,
  placeFindings,
  type Refusal,
  toNodeProblems,
  toUnique,
} from './problems.ts';

/**
 * All that is wrong with a definition, as one types: what the page finds, and what the service refused. With the types of
 * the data of one node, as far as they are known.
 */
export const useFindings = (
  definition: EditedDefinition,
  types: ReadonlyMap<string, DeclaredType>,
  refusals: readonly Refusal[],
  nodeId: string | null,
) => {
  const { validation, types: dataTypes } = useValidation(definition, useKnownTypes(types), nodeId);
  const refusedIn = refusals.length === 0 ? null : definition; // without a refusal, an edit finds nothing new
  const refused = useMemo(
    () => (refusedIn === null ? [] : refusals.flatMap((one) => findRefusals(one, refusedIn))),
    [refusals, refusedIn],
  );
  const findings = useMemo(() => {
    const found = validation === null ? [] : placeFindings(validation, validation.definition);
    const all = toUnique([...refused, ...found]);
    const byNode = new Map(
      [...Map.groupBy(all, ({ nodeId }) => nodeId)].map(([id, each]) => [id, toNodeProblems(each)]),
    );
    /** Ids of the nodes with more than warnings. */
    const faulty = new Set(all.flatMap(({ nodeId, isWarning }) => (isWarning ? [] : (nodeId ?? []))));
    return { all, byNode, ofWorkflow: ofWorkflow(all), faulty };
  }, [refused, validation]);
  return { found: findings, dataTypes };
};

/** What definitions are checked against; null until the names of all types have arrived. */
const useKnownTypes = (types: ReadonlyMap<string, DeclaredType>): KnownTypes | null => {
  const { data } = useApiPages('GET /api/admin/node-types', { query: { limit: 200 } });
  const { data: stage } = useApi('GET /api/admin/variables');
  return useMemo(() => {
    if (data === undefined) return null;
    const names = data.flatMap(({ nodeTypes }) => nodeTypes.map(({ nodeType }) => nodeType));
    const variables = stage?.variables.map(({ name }) => name) ?? null;
    return { declared: [...types.values()], names, variables };
  }, [data, types, stage]);
};
