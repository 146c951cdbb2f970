import type { WorkflowDefinition } from '../../../../../lib/workflows/definition/definition.ts';
import { useApi } from '../../api/use-api.ts';

interface FoundDefinition {
  readonly version: number;
  readonly definition: WorkflowDefinition;
}

/** The definition of a version, which never changes; null until it is read, or if it no longer exists. */
export const useVersion = (workflowId: string, version: number): FoundDefinition | null => {
  const { data } = useApi('GET /api/admin/workflows/{workflowId}/versions/{version}', {
    params: { workflowId, version },
  });
  return data === undefined ? null : { version, definition: data.definition as WorkflowDefinition };
};

/** The current version of a workflow; null until it is read, or if it has been removed. */
export const useCurrentVersion = (workflowId: string): FoundDefinition | null => {
  const { data } = useApi('GET /api/admin/workflows/{workflowId}', { params: { workflowId } });
  return data === undefined ? null : { ...data, definition: data.definition as WorkflowDefinition };
};
