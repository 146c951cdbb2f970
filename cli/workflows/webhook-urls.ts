import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { toPathConfigs } from '../../lib/workflows/definition/to-path-configs.ts';

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
