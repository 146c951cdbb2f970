import type { FindNodeType } from '../contract/node-type.ts';
import { checkGraph } from './check-graph.ts';
import { checkNodes } from './check-nodes.ts';
import { createCheckSchema } from './check-schema.ts';
import { checkWebhooks } from './check-webhooks.ts';
import type { WorkflowDefinition } from './definition.ts';
import type { Problem } from './problem.ts';
import { workflowSchema } from './schema.ts';

export type Validation =
  | { readonly definition: WorkflowDefinition; readonly problems: readonly [] }
  | { readonly definition: null; readonly problems: readonly Problem[] };

/** Deeper than this, tools along the way give up. */
const MAX_DEPTH = 100;

/**
 * Checks a parsed workflow file and reports every problem at once. What can only be said of a file of the right
 * shape is said once it has that. Never rejects, whatever the value.
 */
export const validateWorkflow = async (value: unknown, findNodeType: FindNodeType): Promise<Validation> => {
  if (isDeeperThan(value, MAX_DEPTH)) {
    return {
      definition: null,
      problems: [{ path: '', message: `is nested deeper than ${MAX_DEPTH} levels` }],
    };
  }
  const checkSchema = createCheckSchema();
  const shape = checkSchema(workflowSchema, value, '');
  if (shape.length > 0) return { definition: null, problems: shape };

  const definition = withDefaults(value as WorkflowDefinition);
  const problems = [
    ...checkGraph(definition, findNodeType),
    ...(await checkNodes(definition, findNodeType, checkSchema)),
    ...checkWebhooks(definition),
  ];
  return problems.length === 0 ? { definition, problems: [] } : { definition: null, problems };
};

/** Optional in a file, always there in what is stored. */
const withDefaults = (definition: WorkflowDefinition): WorkflowDefinition => ({
  ...definition,
  enabled: definition.enabled ?? true,
  nodes: definition.nodes.map((node) => ({ ...node, parameters: node.parameters ?? {} })),
});

/** A worklist, not a recursion: the value may be of any depth. */
const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
};
