import { isPlainObject, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import { loadNatives } from '../../../../lib/workflows/expressions/language.chunk.ts';
import {
  deliveringOutputs,
  edgesTo,
  reachFrom,
  readDraft,
  readDraftGraph,
} from '../../../authoring/validation/graph/draft-graph.ts';
import { inferWorkflow } from '../../../authoring/validation/types/infer-workflow.ts';
import type { Type } from '../../../authoring/validation/types/types.ts';
import type { ExpressionTypes } from '../parts/expression/expression-types.ts';
import { calledOf, type KnownTypes, toFindNodeType } from './validate-draft.ts';

/** The types of a node's data, as far as they are known before any run. */
export interface NodeDataTypes extends ExpressionTypes {
  readonly nodeId: string;
  /** What it delivers, by output. */
  readonly outputs: Readonly<Record<string, Type>>;
}

/** More nodes before a node are not described. */
const MAX_BEFORE = 200;

/** Infers the types of what a node of a definition reads and delivers; null if there is no such node. */
export const createDescribeNode = (known: KnownTypes) => {
  const findNodeType = toFindNodeType(known);
  const called = calledOf(known);
  return async (definition: unknown, nodeId: string): Promise<NodeDataTypes | null> => {
    if (!isPlainObject(definition)) return null;
    const graph = readDraftGraph(readDraft(definition).definition, findNodeType);
    const draft = graph.nodes[graph.indexOf.get(nodeId) ?? -1];
    if (draft === undefined) return null;
    const types = inferWorkflow(graph, await loadNatives(), called);
    const { input, trigger, item, nodeOutput } = types.scopeOf(draft.index);
    const sources = (at: number) => edgesTo(graph, at).map(({ source }) => source);
    const before = [...reachFrom(sources(draft.index), sources)]
      .slice(0, MAX_BEFORE)
      .flatMap((at) => graph.nodes[at]?.node.id ?? []);
    const outputs = [...(deliveringOutputs(draft) ?? [MAIN_OUTPUT])];
    return {
      nodeId,
      input,
      trigger,
      item,
      nodes: Object.fromEntries(before.map((id) => [id, nodeOutput(id)])),
      outputs: Object.fromEntries(outputs.map((name) => [name, types.outputOf(draft.index, name)])),
    };
  };
};
