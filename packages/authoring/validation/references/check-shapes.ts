import { suggestPicture } from '@hookloom/counted-jsonata';
import jsonata from 'jsonata';
import { didYouMean, quote, quoteAll } from '../../../../lib/shared/describe.ts';
import { type Correction, correct, type Finding } from '../proposals/correction.ts';
import { readDashed } from './describe-names.ts';
import { type Names, toName, toPath } from './names.ts';
import { HEADERS, type Shape, type Shapes } from './shapes.ts';
import { type Ast, isAst, listOf } from './syntax-tree.ts';

interface Check {
  readonly text: string;
  readonly names: Names;
  readonly shapes: Shapes;
  readonly findings: Map<string, Finding>;
}

/** Names assumed to be lists where nothing else is known. */
const LIST_NAMES = ['items', 'results', 'rows'];

/** Maximum number of findings per expression. */
const MAX_FINDINGS = 5;

/**
 * Finds fields that an expression reads but that don't exist, and wrong assumptions about types, from what is known of the
 * data before any run.
 *
 * @param text - an expression of valid syntax
 * @param isOpen - whether its value goes where any JSON is accepted, so that a single item instead of a list would go unnoticed
 */
export const findShapeProblems = (text: string, names: Names, isOpen: boolean): Finding[] => {
  const { shapes = NOTHING } = names;
  const check: Check = { text, names, shapes, findings: new Map() };
  const root: unknown = jsonata(text).ast();
  if (isOpen) checkFlow(check, root, true);
  const work: { readonly ast: unknown; readonly isRoot: boolean }[] = [{ ast: root, isRoot: true }];
  for (let visit = work.pop(); visit !== undefined; visit = work.pop()) {
    const { ast, isRoot } = visit;
    if (check.findings.size >= MAX_FINDINGS) break;
    if (Array.isArray(ast)) work.push(...ast.map((item) => ({ ast: item, isRoot })).toReversed());
    if (!isAst(ast)) continue;
    if (ast.type === 'path') readPath(check, ast, isRoot);
    if (ast.type === 'binary') checkComparison(check, ast, isRoot);
    if (ast.type === 'function') checkCall(check, ast);
    const parts = Object.entries(ast).map(([key, part]) => ({
      ast: part,
      isRoot: isRoot && !OTHER_CONTEXT.includes(String(ast.type)) && key !== 'stages' && key !== 'group',
    }));
    work.push(...parts.toReversed());
  }
  return [...check.findings.values()];
};

const NOTHING: Shapes = { input: null, trigger: null, nodeOutput: () => null };

/** Nodes within which a name is not a field of the input. */
const OTHER_CONTEXT = ['path', 'lambda', 'transform'];

type Corrected = { readonly correction?: Correction };

const report = ({ findings }: Check, message: string, corrected: Corrected = {}): void => {
  findings.set(message, { message, ...corrected });
};

const warn = ({ findings }: Check, message: string, corrected: Corrected = {}): void => {
  findings.set(message, { message, severity: 'warning', ...corrected });
};

interface Found {
  readonly shape: Shape;
  /** Whether the path gives a list, one item or nothing, by the number of items in a list. */
  readonly isMapped: boolean;
}

const UNKNOWN: Found = { shape: null, isMapped: false };

/** Follows a path from where it begins. */
const readPath = (check: Check, ast: Ast, isRoot: boolean): Found => {
  const { shapes } = check;
  const [first, ...others] = listOf(ast.steps);
  if (first?.type === 'name') return isRoot ? follow(check, ast, [first, ...others], shapes.input) : UNKNOWN;
  if (first?.type !== 'variable') return UNKNOWN;
  if (first.value === 'trigger') return follow(check, ast, others, shapes.trigger);
  if (first.value === '$') return follow(check, ast, others, shapes.input);
  const [id, ...steps] = others;
  if (first.value !== 'nodes' || id?.type !== 'name') return UNKNOWN;
  return follow(check, ast, steps, shapes.nodeOutput(String(id.value)));
};

const follow = (check: Check, path: Ast, steps: readonly Ast[], from: Shape): Found => {
  let shape = from;
  let isMapped = false;
  for (const step of steps) {
    if (step.type !== 'name') return { shape: null, isMapped };
    const name = String(step.value);
    if (shape?.kind === 'list') {
      isMapped = true;
      shape = shape.item;
    }
    shape =
      readField(check, path, step, shape) ??
      (LIST_NAMES.includes(name) ? { kind: 'list', item: null } : null);
    for (const { expr } of [...listOf(step.stages), ...listOf(step.predicate)]) {
      if (!isAst(expr)) continue;
      if (isIndex(expr) && shape?.kind === 'list') shape = shape.item;
      else if (isLookup(expr))
        return UNKNOWN; // a single item is intended
      else if (shape?.kind === 'list') isMapped = true;
    }
  }
  return path.keepSingletonArray === true ? UNKNOWN : { shape, isMapped };
};

const readField = (check: Check, path: Ast, step: Ast, shape: Shape): Shape => {
  if (shape?.kind !== 'map') return null;
  const { names, text } = check;
  const name = String(step.value);
  if (shape === HEADERS) {
    const written = readDashed(text, step);
    if (written !== written.toLowerCase() || written !== name) {
      const meant = toPath(['headers', written.toLowerCase()]);
      report(
        check,
        `${quote(written)} is not a header name here: names are lower case, and those with a dash need backticks${didYouMean(meant)}`,
        correct(`headers.${written}`, meant),
      );
      return null;
    }
  }
  const { fields, others } = shape;
  if (fields.has(name) || others !== undefined) return fields.get(name) ?? others ?? null;
  const known = [...fields.keys()];
  const near = names.findNearest(name, known);
  const before = namesUntil(path, step);
  const meant = near === null ? null : `${before}${toName(near)}`;
  const corrected = correct(`${before}${toName(name)}`, meant);
  const what = before === '' ? 'the input' : before.slice(0, -1);
  const message = `${what} has no ${quote(name)}, ${known.length === 0 ? 'nor any other field' : `but ${quoteAll(known)}`}${didYouMean(meant)}`;
  if (before.endsWith('pathParams.')) report(check, message, corrected);
  else warn(check, message, corrected);
  return null;
};

/** Returns the path before a step, with a trailing dot. */
const namesUntil = (path: Ast, step: Ast): string => {
  const steps = listOf(path.steps);
  return joinNames(steps.slice(0, steps.indexOf(step)));
};

const joinNames = (steps: readonly Ast[]): string =>
  steps.map(({ type, value }) => `${type === 'variable' ? `$${value}` : toName(String(value))}.`).join('');

const isIndex = (expr: Ast): boolean =>
  expr.type === 'number' ||
  (expr.type === 'unary' && isAst(expr.expression) && expr.expression.type === 'number');

/** Whether a predicate looks up one item: `[id = $trigger.body.id]` does, `[isNew = true]` does not. */
const isLookup = (expr: Ast): boolean => {
  if (expr.type !== 'binary') return false;
  if (expr.value === 'and') return [expr.lhs, expr.rhs].some((side) => isAst(side) && isLookup(side));
  return expr.value === '=' && [expr.lhs, expr.rhs].every((side) => isAst(side) && side.type !== 'value');
};

/** Warns about a path over a list whose result is used as is. */
const checkFlow = (check: Check, ast: unknown, isWhole: boolean): void => {
  if (!isAst(ast)) return;
  if (ast.type === 'condition') for (const branch of [ast.then, ast.else]) checkFlow(check, branch, false);
  if (ast.type === 'unary' && ast.value === '{')
    for (const pair of Array.isArray(ast.lhs) ? ast.lhs : []) checkFlow(check, (pair as unknown[])[1], false);
  if (ast.type !== 'path' || !readPath(check, ast, true).isMapped) return;
  const written = isWhole ? `{{ [${check.text}] }}` : `[${pathToText(ast) ?? '…'}]`;
  warn(
    check,
    `is a list for several items, the item itself for one, and nothing for none; to always get a list, write ${quote(written)}`,
  );
};

/** The text of a path of plain names; null for any other. */
const pathToText = (ast: Ast): string | null => {
  const steps = listOf(ast.steps);
  const isPlain = steps.every(
    ({ type, stages, predicate }, at) =>
      (type === 'name' || (type === 'variable' && at === 0)) &&
      stages === undefined &&
      predicate === undefined,
  );
  return isPlain ? joinNames(steps).slice(0, -1) : null;
};

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='];

const checkComparison = (check: Check, { value, lhs, rhs }: Ast, isRoot: boolean): void => {
  if (!COMPARISONS.includes(String(value)) || !isAst(lhs) || !isAst(rhs)) return;
  const pairs: readonly (readonly [Ast, Ast])[] = [
    [lhs, rhs],
    [rhs, lhs],
  ];
  for (const [side, other] of pairs) {
    const type = literalType(other);
    if (type === null) continue;
    if (isNull(side, other)) {
      warn(
        check,
        'compares with null, which matches only an explicit null: a missing field has no value at all; to test whether a field exists, write $exists( )',
      );
    }
    if (side.type !== 'path') continue;
    const { shape, isMapped } = readPath(check, side, isRoot);
    const path = pathToText(side);
    const literal = JSON.stringify(other.value);
    if (isMapped && type !== 'null') {
      const meant = path === null ? null : `${literal} in ${path}`;
      const corrected = value === '=' ? correct(`${path} = ${literal}`, meant) : {};
      warn(check, `compares a list with ${literal}${didYouMean(meant)}`, corrected);
    } else if (
      (shape?.kind === 'number' || shape?.kind === 'string') &&
      isScalar(type) &&
      shape.kind !== type
    ) {
      const compared =
        shape.kind === 'number' ? `${path} ${value} ${other.value}` : `$number(${path}) ${value} ${literal}`;
      const isNumeric =
        type === 'number' || (type === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(String(other.value)));
      const meant = path !== null && isNumeric ? compared : null;
      warn(
        check,
        `compares a ${shape.kind} with the ${type} ${literal}: they are never equal${didYouMean(meant)}`,
        correct(`${path} ${value} ${literal}`, meant),
      );
    }
  }
};

const isScalar = (type: string): boolean => ['string', 'number', 'boolean'].includes(type);

const literalType = ({ type, value }: Ast): string | null => {
  if (type === 'string' || type === 'number') return type;
  if (type !== 'value') return null;
  return value === null ? 'null' : typeof value;
};

/** Comparisons with null: `x = null`, `$type(x) = "null"`. */
const isNull = ({ type, procedure }: Ast, { type: otherType, value }: Ast): boolean =>
  (otherType === 'value' && value === null) ||
  (type === 'function' && isAst(procedure) && procedure.value === 'type' && value === 'null');

/** Index of the date picture among the arguments. */
const pictures: ReadonlyMap<unknown, number> = new Map([
  ['now', 0],
  ['fromMillis', 1],
  ['toMillis', 1],
]);

const checkCall = (check: Check, { procedure, arguments: given }: Ast): void => {
  const at = isAst(procedure) && procedure.type === 'variable' ? pictures.get(procedure.value) : undefined;
  const picture = at === undefined ? undefined : listOf(given)[at];
  if (picture?.type !== 'string') return;
  const text = String(picture.value);
  const meant = suggestPicture(text);
  if (meant === null) return;
  const hint = meant === '' ? ', as in "[Y0001]-[M01]-[D01]"' : didYouMean(meant);
  report(
    check,
    `${quote(text)} is not a date picture: its parts are written in brackets${hint}`,
    meant === '' ? {} : correct(JSON.stringify(text), JSON.stringify(meant)),
  );
};
