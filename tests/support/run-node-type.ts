import type { JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { isPure } from '@hookloom/plugin-kit/host';
import { checkDelivered } from '../../packages/plugin-kit/testing/check-outputs.ts';
import { aDelivery } from './a-node-context.ts';
import { runGraph } from './a-run.ts';

/** Output of a node, by name; or why it failed. */
export type NodeRunResult =
  | { readonly outputs: Readonly<Record<string, JsonObject>> }
  | { readonly failure: { readonly name: string; readonly message: string } };

/** Runs a node behind a trigger in the engine: expressions in its parameters read the input. */
export const runNodeType = async (
  { execute, pure = false, schema, ...handle }: PluginHandle,
  parameters: JsonObject,
  input: JsonObject = {},
): Promise<NodeRunResult> => {
  const { nodes, failure } = await runGraph({
    nodes: { node: { does: execute, parameters, pure: isPure({ pure }, parameters), schema } },
    edges: ['start -> node'],
    input,
    limits: { maxOutputBytes: 32 * 1024 * 1024 },
  });
  if (failure !== null) return { failure: { name: failure.name, message: failure.message } };
  const record = nodes.find(({ nodeId }) => nodeId === 'node');
  const outputs = record?.outputs as Record<string, JsonObject>;
  checkDelivered(handle, { parameters, input, inputs: [{ ...aDelivery('start', input) }], outputs });
  return { outputs };
};

/** The data on the output `main`. @throws Error when the node failed */
export const runToMain = async (
  handle: PluginHandle,
  parameters: JsonObject,
  input?: JsonObject,
): Promise<JsonObject> => {
  const result = await runNodeType(handle, parameters, input);
  if ('failure' in result) throw new Error(`${result.failure.name}: ${result.failure.message}`);
  return result.outputs.main ?? {};
};
