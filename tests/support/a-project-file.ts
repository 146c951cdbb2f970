/** A workflow of a trigger and one node; the caller gets the node's output. */
export const workflow = (id: string, node: object, trigger: object = { responseMode: 'lastNode' }) => ({
  id,
  name: id,
  enabled: true,
  nodes: [
    { id: 'in', type: 'webhookTrigger', parameters: trigger },
    { id: 'out', ...node },
  ],
  connections: [{ sourceNodeId: 'in', targetNodeId: 'out' }],
});

export const set = (values: object) => ({ type: 'set', parameters: { values } });

/**
 * The source of a plugin of one node type, which has the plugin's id.
 * @param execute - JavaScript
 */
export const plugin = (id: string, execute: string): string => `export default {
  id: '${id}', name: '${id}', version: '1.0.0', description: 'Of a test', category: 'test',
  handles: [{ id: '${id}', name: '${id}', description: 'Of a test', kind: 'action', pure: true,
    schema: { type: 'object' }, execute: ${execute} }],
};`;
