import { isPlainObject } from '../contract/json.ts';
import type { FindNodeType } from '../contract/node-type.ts';
import { checkExecution } from './check-execution.ts';
import { checkGraph } from './check-graph.ts';
import { checkNodes } from './check-nodes.ts';
import { createCheckSchema } from './check-schema.ts';
import { checkWebhooks } from './check-webhooks.ts';
import type { WorkflowDefinition } from './definition.ts';
import type { Problem } from './problem.ts';
import { readDraft } from './read-draft.ts';
import { workflowSchema } from './schema.ts';

export type Validation =
  | { readonly definition: WorkflowDefinition; readonly problems: readonly [] }
  | { readonly definition: null; readonly problems: readonly Problem[] };

/** Deeper than this, tools along the way give up. */
const MAX_DEPTH = 100;

/** Checks a parsed workflow file and reports every problem at once. Never rejects, whatever the value. */
export const validateWorkflow = async (value: unknown, findNodeType: FindNodeType): Promise<Validation> => {
  if (isDeeperThan(value, MAX_DEPTH)) {
    return {
      definition: null,
      problems: [{ path: '', message: `is nested deeper than ${MAX_DEPTH} levels` }],
    };
  }
  const checkSchema = createCheckSchema();
  const shape = checkSchema(workflowSchema, value, '');
  if (!isPlainObject(value)) return { definition: null, problems: shape };

  const { definition, madeUp } = readDraft(value);
  const meaning = [
    ...checkGraph(definition, findNodeType),
    ...(await checkNodes(definition, findNodeType, checkSchema)),
    ...checkExecution(definition, findNodeType),
    ...(await checkWebhooks(definition)),
  ];
  // Of what had to be made up, and of what it is part of, its shape is all that can be said to be wrong.
  const doubtful = new Set(madeUp.flatMap(withParents));
  const problems = [...shape, ...meaning.filter(({ path }) => !doubtful.has(path))];
  return problems.length === 0 ? { definition, problems: [] } : { definition: null, problems };
};

/** `/a/b`: `/a/b`, `/a` and the root. */
const withParents = (pointer: string): string[] => {
  const keys = pointer.split('/');
  return keys.map((_, index) => keys.slice(0, keys.length - index).join('/'));
};

/** A worklist, not a recursion: the value may be of any depth. */
const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
};
