import type { Expression } from 'jsonata';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { ExecutionInfo } from '../contract/node.ts';
import { createRandom } from './random.ts';

/** What an expression of one node sees. */
export interface Scope {
  /** The node's input: the root of every path. */
  readonly input: JsonObject;
  /** `$nodes`: what each node that has run delivered last. */
  readonly nodes: JsonObject;
  /** `$trigger`: the output of the trigger that fired. */
  readonly trigger: JsonObject;
  readonly execution: ExecutionInfo;
  /** Names this run of this node, so that `$random()` gives the same numbers when it is repeated. */
  readonly seed: string;
}

/** An expression that was compiled. Nothing found is null. Plain paths answer at once, everything else later. */
export type Evaluate = (scope: Scope) => JsonValue | Promise<JsonValue>;

/** Bounds of one evaluation; JSONata itself enforces them. */
const limits = {
  /** Milliseconds. */
  timeout: 1_000,
  /** Depth of evaluation: stops recursion without end. */
  stack: 500,
};

const NAME = '(?:[A-Za-z_][A-Za-z0-9_]*|`[^`]+`)';
const PLAIN_PATH = new RegExp(`^(?:\\$(?:nodes|trigger|execution)|${NAME})(?:\\.${NAME})*$`);
const SEGMENT = /`([^`]+)`|[^.`]+/g;
/** Names that mean something else to JSONata. */
const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

/** Compiles the text between `{{` and `}}`. JSONata itself is loaded when the first expression needs it. */
export const compileExpression = (source: string): Evaluate => {
  const text = source.trim();
  const evaluateAll = compileLate(text);
  const segments = PLAIN_PATH.test(text) ? splitPath(text) : null;
  if (segments === null) return evaluateAll;
  const [root = '', ...rest] = segments;
  const path = root.startsWith('$') ? rest : segments;
  const findRoot = rootOf(root);
  return (scope) => {
    const found = followPath(findRoot(scope), path);
    return found === NEEDS_JSONATA ? evaluateAll(scope) : found;
  };
};

/** Does any of it look beyond the node's own input, at `$nodes`? */
export const readsNodes = (source: string): boolean => source.includes('$nodes');

const splitPath = (text: string): string[] | null => {
  const segments = [...text.matchAll(SEGMENT)].map(([whole, quoted]) => ({ name: quoted ?? whole, quoted }));
  return segments.some(({ name, quoted }) => quoted === undefined && KEYWORDS.has(name))
    ? null
    : segments.map(({ name }) => name);
};

const rootOf = (root: string): ((scope: Scope) => JsonValue) => {
  if (root === '$nodes') return ({ nodes }) => nodes;
  if (root === '$trigger') return ({ trigger }) => trigger;
  if (root === '$execution') return ({ execution }) => describeExecution(execution);
  return ({ input }) => input;
};

const NEEDS_JSONATA = Symbol('needs JSONata');

/** Own properties only. JSONata maps a path over the items of a list: that is left to it. */
const followPath = (root: JsonValue, path: readonly string[]): JsonValue | typeof NEEDS_JSONATA => {
  let value: JsonValue = root;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return null;
    if (Array.isArray(value)) return NEEDS_JSONATA;
    const next: JsonValue | undefined = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
    if (next === undefined) return null;
    value = next;
  }
  return value;
};

const describeExecution = ({ executionId, ...others }: ExecutionInfo): JsonObject => ({
  id: executionId,
  ...others,
});

/** What an expression of a workflow did wrong, in a run or before. */
class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const compileLate = (text: string): ((scope: Scope) => Promise<JsonValue>) => {
  let compiled: Promise<CompiledExpression> | undefined;
  return async (scope) => {
    compiled ??= compileJsonata(text);
    const { expression, variables } = await compiled;
    try {
      return toJson(await expression.evaluate(scope.input, bind(variables, scope)));
    } catch (error) {
      throw new ExpressionError(`{{ ${text} }} failed: ${describeError(error)}`);
    }
  };
};

interface CompiledExpression {
  readonly expression: Expression;
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>;
}

/** @throws {ExpressionError} that says what is wrong with the expression, and where */
export const compileJsonata = async (text: string): Promise<CompiledExpression> => {
  const { default: jsonata } = await import('jsonata');
  let expression: Expression;
  try {
    expression = jsonata(text, limits);
  } catch (error) {
    throw new ExpressionError(describeError(error));
  }
  const variables = findVariables(expression.ast());
  if (variables.has('eval')) {
    throw new ExpressionError('$eval is not available: expressions come from the workflow only');
  }
  return { expression, variables };
};

/** JSONata throws plain objects. */
const describeError = (error: unknown): string => {
  const { message, position } = error as { message?: string; position?: number };
  return position === undefined ? String(message) : `${message} (character ${position})`;
};

const findVariables = (ast: unknown): Set<string> => {
  const variables = new Set<string>();
  const work: unknown[] = [ast];
  for (let next = work.pop(); work.length > 0 || next !== undefined; next = work.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { type, value } = next as { type?: unknown; value?: unknown };
    if (type === 'variable' && typeof value === 'string') variables.add(value);
    work.push(...Object.values(next));
  }
  return variables;
};

/** Time and chance come from the execution, so that a node that is repeated sees the same. */
const available: Record<string, (scope: Scope) => unknown> = {
  nodes: ({ nodes }) => nodes,
  trigger: ({ trigger }) => trigger,
  execution: ({ execution }) => describeExecution(execution),
  now:
    ({ execution }) =>
    () =>
      execution.startedAt,
  millis:
    ({ execution }) =>
    () =>
      Date.parse(execution.startedAt),
  random: ({ seed }) => createRandom(seed),
};

const bind = (variables: ReadonlySet<string>, scope: Scope): Record<string, unknown> => {
  const bindings: Record<string, unknown> = {};
  for (const name of variables) {
    if (Object.hasOwn(available, name)) bindings[name] = available[name]?.(scope);
  }
  return bindings;
};

/** JSONata's own lists carry marks of its own, and functions are values to it; data that came in is as it was. */
const toJson = (value: unknown): JsonValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'function') throw new ExpressionError('it came to a function, which is no data');
  if (typeof value !== 'object' || Object.isFrozen(value)) return value as JsonValue;
  if (Array.isArray(value)) return value.map(toJson);
  if ('_jsonata_lambda' in value || '_jsonata_function' in value) {
    throw new ExpressionError('it came to a function, which is no data');
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
};
