import { findSchemaFault, findUnsupported } from '@hookloom/bounded-schema';
import type { Natives } from '@hookloom/counted-jsonata';
import { isPlainObject, type JsonObject, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { eitherOf, type FindNodeType } from '@hookloom/plugin-kit/host';
import type { WorkflowDefinition } from '../../../../lib/workflows/definition/definition.ts';
import { ENTRY_TRIGGER } from '../../../../lib/workflows/definition/entry-trigger.ts';
import { loadNatives } from '../../../../lib/workflows/expressions/language.chunk.ts';
import {
  type DraftGraph,
  type DraftNode,
  deliveringOutputs,
  edgesFrom,
  outputsBesideBody,
  reachFrom,
  readDraftGraph,
} from '../graph/draft-graph.ts';
import { listSubworkflows } from '../graph/subworkflows.ts';
import { continues } from './failures.ts';
import { type CalledWorkflow, type CalledWorkflows, inferWorkflow } from './infer-workflow.ts';
import { ANYTHING, objectOf, type Type } from './types.ts';

/** Finds a workflow that another one runs; null for one that is not at hand. */
export type FindCalled = (workflowId: string) => Promise<WorkflowDefinition | null>;

/** How deeply workflows that run each other are followed, and how many in all: of others, nothing is known. */
const MAX_DEPTH = 5;
const MAX_WORKFLOWS = 50;

/** Infers what the workflows deliver that a workflow runs. */
export type InferCalled = (definition: Pick<WorkflowDefinition, 'nodes'>) => Promise<CalledWorkflows>;

/** Infers it from the definitions that are at hand. */
export const createInferCalled = (find: FindCalled, findNodeType: FindNodeType): InferCalled => {
  return async (definition) => {
    const known = new Map<string, CalledWorkflow>();
    const inferAll = async (caller: Pick<WorkflowDefinition, 'nodes'>, depth: number): Promise<void> => {
      for (const { workflowId } of listSubworkflows(caller)) {
        if (known.has(workflowId) || known.size >= MAX_WORKFLOWS) continue;
        known.set(workflowId, { output: ANYTHING }); // also if it runs itself
        const other = await find(workflowId);
        if (other === null) continue;
        if (depth < MAX_DEPTH) await inferAll(other, depth + 1);
        const graph = readDraftGraph(other, findNodeType);
        const entries = graph.nodes.filter(
          ({ node, isDisabled }) => node.type === ENTRY_TRIGGER && !isDisabled,
        );
        const [entry] = entries;
        if (entry === undefined || entries.length > 1) continue;
        const output = inferResult(graph, entry, await loadNatives(), known);
        const input = readInputSchema(entry);
        known.set(workflowId, { output, ...(input === null ? {} : { input }) });
      }
    };
    await inferAll(definition, 1);
    return known;
  };
};

/** The type of what a workflow delivers that another one runs: the output of the last of its nodes that has run. */
const inferResult = (
  graph: DraftGraph,
  { index: entry }: DraftNode,
  natives: Natives,
  called: CalledWorkflows,
): Type => {
  const next = (at: number) => edgesFrom(graph, at).flatMap(({ isBody, target }) => (isBody ? [] : [target]));
  const reached = [...reachFrom([entry], next)];
  if (reached.length > MAX_REACHED) return ANYTHING;
  const hasLoop = reached.some((at) => reachFrom(next(at), next).has(at));
  if (hasLoop) return ANYTHING;
  const types = inferWorkflow(graph, natives, called);
  const given = reached.flatMap((at): Type[] => {
    const draft = graph.nodes[at];
    if (draft === undefined || !canBeLast(graph, draft)) return [];
    const outputs = outputsOf(draft);
    const own = outputs === null ? [ANYTHING] : [...outputs].map((name) => types.outputOf(at, name));
    return mayEnd(draft) ? [...own, objectOf({})] : own;
  });
  return eitherOf(given);
};

/** The schema of a trigger, if it can be used. */
const readInputSchema = ({ node: { parameters } }: DraftNode): JsonObject | null => {
  const { schema } = parameters;
  const isUsable =
    isPlainObject(schema) && findSchemaFault(schema) === null && findUnsupported(schema) === null;
  return isUsable ? (schema as JsonObject) : null;
};

/** The search for loops is quadratic. */
const MAX_REACHED = 200;

/** On what a node may deliver, its body apart; null if that is not known, as of a failure that is passed on without a `main`. */
const outputsOf = (draft: DraftNode): ReadonlySet<string> | null => {
  const own = deliveringOutputs(draft) === null ? null : outputsBesideBody(draft);
  return continues(draft) && own?.has(MAIN_OUTPUT) !== true ? null : own;
};

/** Whether it may be that a node has run and none of those behind it. */
const canBeLast = (graph: DraftGraph, draft: DraftNode): boolean => {
  const outputs = outputsOf(draft);
  const followed = new Set(
    edgesFrom(graph, draft.index).flatMap(({ isBody, output }) => (isBody ? [] : [output])),
  );
  return (
    mayEnd(draft) ||
    outputs === null ||
    outputs.size === 0 ||
    [...outputs].some((name) => !followed.has(name))
  );
};

/** Whether it may deliver nothing, so that its output is an empty object. */
const mayEnd = ({ nodeType, isDisabled }: DraftNode): boolean =>
  nodeType?.endsBranch !== false && !isDisabled;
