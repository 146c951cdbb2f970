import type { JsonValue } from '../contract/json.ts';
import type { WorkflowNode } from '../contract/node.ts';
import type { FindNodeType, NodeType } from '../contract/node-type.ts';
import type { CheckSchema } from './check-schema.ts';
import type { WorkflowDefinition } from './definition.ts';
import { findNearName } from './near-name.ts';
import { checkExpressions } from './parameters.ts';
import type { Problem } from './problem.ts';

/** Types, parameters and expressions of every node. */
export const checkNodes = async (
  { nodes }: WorkflowDefinition,
  findNodeType: FindNodeType,
  checkSchema: CheckSchema,
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  const describeUnknown = createDescribeUnknown(findNodeType);
  for (const [index, node] of nodes.entries()) {
    const nodeType = findNodeType(node.type);
    if (nodeType === null) {
      problems.push({ path: `/nodes/${index}/type`, message: describeUnknown(node.type) });
    } else {
      problems.push(...(await checkNode(node, nodeType, checkSchema, `/nodes/${index}/parameters`)));
    }
  }
  return problems;
};

/** A file with more wrong types than this needs no hints. */
const MAX_HINTS = 100;

/** Looking for what was meant takes its time, and a type is often wrong in many nodes: once per type. */
const createDescribeUnknown = (findNodeType: FindNodeType) => {
  const messages = new Map<string, string>();
  return (type: string): string => {
    const known = messages.get(type);
    if (known !== undefined) return known;
    const isHinted = messages.size < MAX_HINTS;
    const near = isHinted ? findNearName(type, (name) => findNodeType(name) !== null) : null;
    const hint = near === null ? '' : `; did you mean "${near}"?`;
    const message = `no installed plugin brings the type "${type}"${hint}`;
    messages.set(type, message);
    return message;
  };
};

const checkNode = async (
  { parameters }: WorkflowNode,
  nodeType: NodeType,
  checkSchema: CheckSchema,
  place: string,
): Promise<Problem[]> => {
  const found = checkSchema(nodeType.schema, parameters, place).filter(
    ({ path }) => !isExpressionAt(parameters, path.slice(place.length)),
  );
  const expressions = findExpressions(parameters, place);
  if (nodeType.kind === 'trigger') {
    const fixed = expressions.map((path) => ({
      path,
      message: 'a trigger is set up beforehand: it can hold no expression',
    }));
    return [...found, ...fixed];
  }
  return [...found, ...(await checkExpressions(parameters, place))];
};

/** What an expression comes to is only known in a run: the schema has no say at its place, nor below it. */
const isExpressionAt = (parameters: JsonValue, pointer: string): boolean => {
  let value: JsonValue | undefined = parameters;
  for (const part of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) break;
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.hasOwn(value, key) ? (value as Record<string, JsonValue>)[key] : undefined;
  }
  return typeof value === 'string' && value.includes('{{');
};

const findExpressions = (value: JsonValue, path: string): string[] => {
  if (typeof value === 'string') return value.includes('{{') ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    findExpressions(item, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
};
