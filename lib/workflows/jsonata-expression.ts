import type { Expression } from 'jsonata';
import type { JsonValue } from '../contract/json.ts';
import { createRandom } from './random.ts';
import { describeExecution, type Scope } from './scope.ts';

/** Bounds of one evaluation; JSONata itself enforces them. */
const limits = {
  /** Milliseconds. */
  timeout: 1_000,
  /** Depth of evaluation: stops recursion without end. */
  stack: 500,
  /** Items that one list may have: `[1..body.n]` with a large `n` would take all memory before any time is up. */
  sequence: 1_000_000,
};

/** What an expression of a workflow did wrong, in a run or before. */
class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** Compiles on first use, and loads JSONata itself for the first expression that needs it. */
export const compileLate = (text: string, place: string): ((scope: Scope) => Promise<JsonValue>) => {
  let loading: Promise<CompiledExpression> | undefined;
  let compiled: CompiledExpression | undefined;

  const fail = (error: unknown): never => {
    throw new ExpressionError(`{{ ${text} }} failed: ${describeError(error)}`);
  };
  const toValue = (found: unknown): JsonValue => {
    try {
      return toJson(found);
    } catch (error) {
      return fail(error);
    }
  };
  const run = (
    { expression, variables, marksLists }: CompiledExpression,
    scope: Scope,
  ): Promise<JsonValue> => {
    const evaluate = () => {
      const seen = marksLists ? thaw(scope) : scope;
      return expression.evaluate(seen.input, bind(variables, seen, place)).then(toValue, fail);
    };
    return scope.takeTurn === undefined ? evaluate() : scope.takeTurn(evaluate);
  };

  return (scope) => {
    if (compiled !== undefined) return run(compiled, scope);
    loading ??= compileJsonata(text);
    return loading.then((loaded) => {
      compiled = loaded;
      return run(loaded, scope);
    });
  };
};

interface CompiledExpression {
  readonly expression: Expression;
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>;
  /** Whether it holds a `[]`, for which JSONata sets a property on the list that it finds: on our frozen data. */
  readonly marksLists: boolean;
}

/** A copy that may be marked. */
const thaw = (scope: Scope): Scope => ({
  ...scope,
  input: structuredClone(scope.input),
  nodes: structuredClone(scope.nodes),
  trigger: structuredClone(scope.trigger),
});

/** @throws {ExpressionError} that says what is wrong with the expression, and where */
export const compileJsonata = async (text: string): Promise<CompiledExpression> => {
  const { default: jsonata } = await import('jsonata');
  let expression: Expression;
  try {
    expression = jsonata(text, limits);
  } catch (error) {
    throw new ExpressionError(describeError(error));
  }
  const { variables, marksLists } = inspect(expression.ast());
  if (variables.has('eval')) {
    throw new ExpressionError('$eval is not available: expressions come from the workflow only');
  }
  for (const [name, { signature, implementation }] of Object.entries(builtIns)) {
    if (variables.has(name)) expression.registerFunction(name, implementation, signature);
  }
  return { expression, variables, marksLists };
};

/** JSONata throws plain objects. */
const describeError = (error: unknown): string => {
  const { message, position } = error as { message?: string; position?: number };
  return position === undefined ? String(message) : `${message} (character ${position})`;
};

const inspect = (ast: unknown): Omit<CompiledExpression, 'expression'> => {
  const variables = new Set<string>();
  let marksLists = false;
  const work: unknown[] = [ast];
  for (let next = work.pop(); work.length > 0 || next !== undefined; next = work.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { type, value, keepSingletonArray } = next as Readonly<Record<string, unknown>>;
    if (type === 'variable' && typeof value === 'string') variables.add(value);
    if (keepSingletonArray === true) marksLists = true;
    work.push(...Object.values(next));
  }
  return { variables, marksLists };
};

const variablesOf: Record<string, (scope: Scope) => unknown> = {
  nodes: ({ nodes }) => nodes,
  trigger: ({ trigger }) => trigger,
  execution: ({ execution }) => describeExecution(execution),
};

/** Where the built-ins find what they go by. No expression can name a variable with a space in it. */
const CHANCE = ' chance';
const STARTED_AT = ' started at';

interface BuiltIn {
  /** JSONata's: https://docs.jsonata.org/embedding-extending#function-signature-syntax */
  readonly signature: string;
  readonly implementation: Parameters<Expression['registerFunction']>[1];
}

/**
 * JSONata's functions of time and chance, but going by the execution: a node that is repeated, or an execution that
 * is resumed, sees the same.
 */
const builtIns: Record<string, BuiltIn> = {
  millis: {
    signature: '<:n>',
    implementation() {
      return this.environment.lookup(STARTED_AT);
    },
  },
  now: {
    signature: '<s?s?:s>',
    implementation(picture?: string, timezone?: string) {
      const startedAt = this.environment.lookup(STARTED_AT);
      return this.environment.lookup('fromMillis').implementation.call(this, startedAt, picture, timezone);
    },
  },
  random: {
    signature: '<:n>',
    implementation() {
      return this.environment.lookup(CHANCE)();
    },
  },
  shuffle: {
    signature: '<a:a>',
    implementation(items: readonly unknown[]) {
      const random: () => number = this.environment.lookup(CHANCE);
      return items
        .map((item) => ({ item, rank: random() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item);
    },
  },
};

const bind = (variables: ReadonlySet<string>, scope: Scope, place: string): Record<string, unknown> => {
  const bindings: Record<string, unknown> = {};
  for (const name of variables) {
    if (Object.hasOwn(variablesOf, name)) bindings[name] = variablesOf[name]?.(scope);
    else if (Object.hasOwn(builtIns, name)) {
      bindings[STARTED_AT] = Date.parse(scope.execution.startedAt);
      bindings[CHANCE] ??= createRandom(`${scope.seed}/${place}`);
    }
  }
  return bindings;
};

/** JSONata's own lists carry marks of its own, and functions are values to it; data that came in is as it was. */
const toJson = (value: unknown): JsonValue => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'function') throw new ExpressionError('it came to a function, which is no data');
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ExpressionError(`it came to ${value}, which is no data`);
  }
  if (typeof value !== 'object' || Object.isFrozen(value)) return value as JsonValue;
  if (Array.isArray(value)) return value.map(toJson);
  if ('_jsonata_lambda' in value || '_jsonata_function' in value) {
    throw new ExpressionError('it came to a function, which is no data');
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
};
