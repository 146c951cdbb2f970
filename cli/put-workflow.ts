import type { BackgroundMode, WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../lib/workflows/definition/to-path-configs.ts';
import type { WorkflowStore } from '../lib/workflows/definition/workflow-store.ts';

/**
 * Makes a checked definition the current version.
 *
 * @param execution - the mode of its background runs: see `resolveExecution`
 * @param replaces - the version that it was made from; absent: any
 * @throws AppError `WORKFLOW_CHANGED` when another version than `replaces` is current
 * @throws AppError `WORKFLOW_TOO_LARGE` when it does not fit into an item of the store
 * @throws AppError `STORE_UNAVAILABLE` when the store does not answer or is throttling
 */
export const putWorkflow = (
  definition: WorkflowDefinition,
  store: WorkflowStore,
  execution: BackgroundMode,
  replaces?: number,
): Promise<{ readonly version: number; readonly changed: boolean }> =>
  store.put(definition, toPathConfigs(definition, execution), replaces);

/**
 * The methods and URLs of a workflow's webhooks.
 *
 * @param baseUrl - without a trailing slash; null: paths alone
 */
export const webhookUrls = (definition: WorkflowDefinition, baseUrl: string | null): string[] =>
  toPathConfigs(definition).map(
    ({ method, path }) =>
      `${method} ${baseUrl ?? ''}/api/webhook/${definition.id}${path === '/' ? '' : path}`,
  );
