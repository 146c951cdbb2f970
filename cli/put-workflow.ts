import type { BackgroundMode, WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../lib/workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../lib/workflows/definition/workflow-store.ts';

/**
 * Makes a checked definition the current version.
 * @param execution how its background runs are done: see `resolveExecution`
 * @param replaces the version that it was made from; whatever is current when absent
 * @throws AppError `WORKFLOW_CHANGED` | `STORE_UNAVAILABLE` | `WORKFLOW_TOO_LARGE`
 */
export const putWorkflow = (
  definition: WorkflowDefinition,
  store: WorkflowStore,
  execution: BackgroundMode,
  replaces?: number,
): Promise<{ readonly version: number; readonly changed: boolean }> =>
  store.put(definition, toPathConfigs(definition, execution), replaces);

/** The addresses at which a workflow listens. @param baseUrl without a trailing slash; left out when null */
export const webhookUrls = (definition: WorkflowDefinition, baseUrl: string | null): string[] =>
  toPathConfigs(definition).map(
    ({ method, path }) =>
      `${method} ${baseUrl ?? ''}/api/webhook/${definition.id}${path === '/' ? '' : path}`,
  );
