import type { PathConfig } from '../../lib/workflows/definition/path-config.ts';
import type { PublishedWorkflow } from '../../lib/workflows/definition/workflow-store.ts';

/** One webhook that needs no credentials, at `POST /orders` of the workflow `shop`. */
export const aPathConfig = (changes: Partial<PathConfig> = {}): PathConfig => ({
  path: '/orders',
  method: 'POST',
  authentication: 'none',
  credentialId: null,
  responseMode: 'lastNode',
  triggerNodeId: 'start',
  execution: 'durable',
  deduplication: null,
  ...changes,
});

/** A stored workflow that is nothing but a trigger for each of the path configs. */
export const aWorkflowListening = (
  pathConfigs: readonly PathConfig[] = [aPathConfig()],
  { id = 'shop', enabled = true }: { id?: string; enabled?: boolean } = {},
): PublishedWorkflow => ({
  version: 1,
  updatedAt: '2026-01-01T00:00:00.000Z',
  definition: {
    id,
    name: id,
    enabled,
    nodes: [...new Set(pathConfigs.map(({ triggerNodeId }) => triggerNodeId))].map((nodeId) => ({
      id: nodeId,
      type: 'webhookTrigger',
      parameters: {},
    })),
    connections: [],
  },
  pathConfigs,
});
