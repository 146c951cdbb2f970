import { loadNatives } from '@hookloom/counted-jsonata';
import { isPlainObject, type JsonObject, type JsonValue, lazy } from '@hookloom/plugin-kit';
import { findNearest, findNearName } from '../../../../../lib/shared/near-name.ts';
import {
  compileExpression,
  compileJsonata,
  compileTemplate,
} from '../../../../../lib/workflows/expressions/compile-expression.ts';
import { ExpressionError } from '../../../../../lib/workflows/expressions/expression-error.ts';
import type { Result, Scope } from '../../../../../lib/workflows/expressions/scope.ts';
import { checkExpression } from '../../../../authoring/validation/references/check-expressions.ts';
import { findExpressions, type Part, type Syntax } from './expression-parts.ts';
import type { ExpressionTypes } from './expression-types.ts';

/**
 * Data that expressions are tried on: fields of the input by name, and `$nodes`, `$trigger`, `$vars`, `$execution` and, in a
 * body, `$item` as expressions see them.
 */
export type Sample = Readonly<Record<string, unknown>>;

/** What an expression may name, as well as what is in the sample. */
export interface KnownNames {
  /** Ids of the nodes before this one. */
  readonly nodes: readonly string[];
  /** The variables of the stage; null if they are not known, so that any may be named. */
  readonly variables: readonly string[] | null;
  /** Absent if the types of the data are not known. */
  readonly types?: ExpressionTypes | null;
}

/** What is known where an expression is written. */
export interface Surroundings {
  readonly syntax: Syntax;
  /** Null if there is none: then syntax and names are checked. */
  readonly sample: Sample | null;
  readonly names: KnownNames;
}

interface ExpressionFault {
  readonly message: string;
  /** Offsets in the text, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

/** What a text with expressions gives on a sample. */
export type Outcome =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'nothing' }
  /** There is no data to evaluate it on, and nothing is wrong with its syntax. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'faults'; readonly faults: readonly ExpressionFault[] };

/** Longer texts are not evaluated as one types. In UTF-16 units. */
const MAX_LENGTH = 20_000;

/** Steps of one evaluation: a fifteenth of what a node may take, so that typing is not held up. */
const MAX_STEPS = 200_000;

/**
 * Evaluates a text with the service's own evaluator, which counts its steps: no expression holds the page up.
 *
 * @param sample - null if there is none: then syntax and names are checked
 */
export const evaluateOnSample = async (
  text: string,
  syntax: Syntax,
  sample: Sample | null,
  names: KnownNames,
): Promise<Outcome> => {
  if (text.length > MAX_LENGTH) {
    const message = `Longer than ${MAX_LENGTH.toLocaleString('en')} characters: not evaluated here.`;
    return { kind: 'faults', faults: [{ message, from: 0, to: 0 }] };
  }
  const parts = findExpressions(text, syntax);
  const faults = (await Promise.all(parts.map((part) => checkPart(part, sample, names)))).flat();
  if (faults.length > 0) return { kind: 'faults', faults };
  if (sample === null) return { kind: 'unknown' };
  const scope = toScope(sample);
  try {
    const evaluate = syntax === 'template' ? compileTemplate(text) : compileExpression(text);
    const value: Result = evaluate === null ? text : await evaluate(scope);
    return value === undefined ? { kind: 'nothing' } : { kind: 'value', value };
  } catch (error) {
    return { kind: 'faults', faults: [await findFailure(parts, scope, error)] };
  }
};

/** Syntax and names, with what was probably meant. */
const checkPart = async (
  part: Part,
  sample: Sample | null,
  { nodes, variables }: KnownNames,
): Promise<readonly ExpressionFault[]> => {
  const { $nodes } = sample ?? {};
  if (part.text === '') return [{ message: 'The expression is empty.', ...placeOfProblem(part, undefined) }];
  const natives = await loadFunctions();
  const problems = await checkExpression(part.text, '', {
    nodeIds: new Set([...nodes, ...(isPlainObject($nodes) ? Object.keys($nodes) : [])]),
    visibleIds: null,
    hasItem: true, // the check of the whole workflow says where it is none
    idOfName: new Map(),
    ownId: null,
    fields: null,
    triggerFields: null,
    variables,
    isFunction: (name) => natives.has(name),
    natives,
    findNearest,
    findNearName,
  });
  const found = problems.filter(({ severity }) => severity !== 'warning');
  if (found.length === 0) return [];
  const position = await findSyntaxPosition(part.text);
  return found.map(({ message }) => ({ message, ...placeOfProblem(part, position) }));
};

const loadFunctions = lazy(loadNatives);

/** Where the syntax is wrong; undefined if it is right. */
const findSyntaxPosition = (text: string): Promise<number | undefined> =>
  compileJsonata(text).then(
    () => undefined,
    (error: unknown) => (error instanceof ExpressionError ? error.position : undefined),
  );

/** The expression that fails, and the place in it. */
const findFailure = async (
  parts: readonly Part[],
  scope: Scope,
  error: unknown,
): Promise<ExpressionFault> => {
  for (const part of parts) {
    try {
      await compileExpression(part.text)(scope);
    } catch (failure) {
      const { message, position } = failure as ExpressionError;
      return { message, ...placeOfProblem(part, position) };
    }
  }
  return { message: error instanceof Error ? error.message : String(error), from: 0, to: 0 };
};

/** The word that ends at a position, as the parser counts; the whole expression without one. */
const placeOfProblem = ({ from, text }: Part, position: number | undefined): { from: number; to: number } => {
  if (position === undefined) return { from, to: from + text.length };
  const to = Math.min(position, text.length);
  let start = to;
  while (start > 0 && to - start < 100 && /[\w$]/.test(text.charAt(start - 1))) start -= 1;
  return { from: from + (start === to ? Math.max(0, to - 1) : start), to: from + to };
};

const toScope = (sample: Sample): Scope => {
  const { $nodes, $trigger, $vars, $execution, $item, ...input } = sample;
  const { id = 'sample', startedAt, ...execution } = objectOrEmpty($execution);
  return {
    input: input as JsonObject,
    nodes: objectOrEmpty($nodes),
    trigger: objectOrEmpty($trigger),
    variables: objectOrEmpty($vars),
    ...($item === undefined ? {} : { item: $item as JsonValue }),
    execution: {
      workflowId: 'sample',
      workflowVersion: 1,
      stage: 'sample',
      trigger: { nodeId: 'trigger', type: 'webhookTrigger' },
      ...execution,
      executionId: String(id),
      startedAt: isTime(startedAt) ? startedAt : new Date().toISOString(),
    },
    seed: 'sample',
    maxSteps: MAX_STEPS,
  };
};

const objectOrEmpty = (value: unknown): JsonObject => (isPlainObject(value) ? (value as JsonObject) : {});

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));
