import { didYouMean, quote, quoteAll } from '../../../../lib/shared/describe.ts';
import { describeExecution } from '../../../../lib/workflows/expressions/scope.ts';
import { correct, type Finding } from '../proposals/correction.ts';
import { parse } from '../types/parse.ts';
import {
  describeMethod,
  describeNodeId,
  describeRequestField,
  describeUnknownFunction,
  describeUnknownVariable,
  readDashed,
  withoutWrappers,
} from './describe-names.ts';
import { type Names, resolveId, toName, toNodePath } from './names.ts';
import {
  type Ast,
  type Bound,
  findBound,
  isAst,
  isNodeSelector,
  listOf,
  nameOfMethod,
  namesBehind,
  textsIn,
} from './syntax-tree.ts';

const EXECUTION_FIELDS = Object.keys(
  describeExecution({
    executionId: '',
    workflowId: '',
    workflowVersion: 1,
    trigger: { nodeId: '', type: '' },
    startedAt: '',
    stage: '',
  }),
);

/** Maximum number of problems per expression. */
const MAX_PROBLEMS = 5;

/**
 * Finds unknown names in an expression, with suggestions. In a run, an unknown path silently gives no value, and an
 * unknown function fails its node.
 * @param text - an expression of valid syntax
 */
export const findReferenceProblems = (text: string, names: Names): Finding[] => {
  const root: unknown = parse(text).tree;
  const inspection: Inspection = { text, names, ...findBound(root), problems: new Map(), reportedTo: 0 };
  const work: Visit[] = [{ ast: root, isRoot: true, isValue: true }];
  for (let visit = work.pop(); visit !== undefined; visit = work.pop()) {
    work.push(...inspect(inspection, visit).toReversed());
    if (inspection.problems.size >= MAX_PROBLEMS) break;
  }
  return [...inspection.problems.values()];
};

interface Inspection extends Bound {
  readonly text: string;
  readonly names: Names;
  /** By message, since an expression may repeat a mistake. */
  readonly problems: Map<string, Finding>;
  /** Offset in the text up to which names are parts of a reported id with dashes. */
  reportedTo: number;
}

const add = (problems: Map<string, Finding>, finding: Finding | null): void => {
  if (finding !== null) problems.set(finding.message, finding);
};

/** A part of the syntax tree and its context. */
interface Visit {
  readonly ast: unknown;
  /** Whether the expression's paths begin at the input. */
  readonly isRoot: boolean;
  /** Whether the expression must be data, not a function. */
  readonly isValue: boolean;
}

/** Checks one part of the tree. @returns its parts that are still to be checked */
const inspect = (inspection: Inspection, { ast, isRoot, isValue }: Visit): Visit[] => {
  if (Array.isArray(ast)) return ast.map((item) => ({ ast: item, isRoot, isValue }));
  if (!isAst(ast)) return [];
  switch (ast.type) {
    case 'path':
      return inspectPath(inspection, ast, isRoot);
    case 'variable':
      return inspectVariable(inspection, ast, [], isValue) ? filtersOf(inspection, ast) : [];
    case 'function':
    case 'partial':
      return inspectCall(inspection, ast, [], isRoot);
    case 'name':
      return filtersOf(inspection, ast);
    case 'lambda':
      return [{ ast: ast.body, isRoot: false, isValue: false }];
    case 'bind':
      return [{ ast: ast.rhs, isRoot, isValue: false }];
    case 'apply':
      return [ast.lhs, ast.rhs].map((side) => ({ ast: side, isRoot, isValue: false }));
    case 'binary':
      if (ast.value === '+' && [ast.lhs, ast.rhs].some((side) => isAst(side) && side.type === 'string')) {
        add(inspection.problems, {
          message: 'adds strings with "+", which is for numbers: join them with "&"',
        });
      }
      return [ast.lhs, ast.rhs].map((side) => ({ ast: side, isRoot, isValue: true }));
    case 'transform':
      return [ast.pattern, ast.update, ast.delete].map((part) => ({
        ast: part,
        isRoot: false,
        isValue: false,
      }));
    default: {
      const { stages: _stages, predicate: _predicate, group: _group, ...parts } = ast;
      return [
        ...Object.values(parts).map((part) => ({ ast: part, isRoot, isValue: false })),
        ...filtersOf(inspection, ast),
      ];
    }
  }
};

/** The bracketed predicates and indexes after a part, and its grouping. */
const filtersOf = (inspection: Inspection, ast: Ast): Visit[] => {
  const filters = [...listOf(ast.stages), ...listOf(ast.predicate)];
  for (const name of textsIn(filters)) {
    const message = `[${quote(name)}] does not select a field; did you mean ".${toName(name)}"?`;
    add(inspection.problems, { message, ...correct(`[${JSON.stringify(name)}]`, `.${toName(name)}`) });
  }
  return [...filters.map(({ expr }) => expr), ast.group].map((part) => ({
    ast: part,
    isRoot: false,
    isValue: false,
  }));
};

const inspectPath = (inspection: Inspection, ast: Ast, isRoot: boolean): Visit[] => {
  const steps = listOf(ast.steps);
  const [first, ...others] = steps;
  if (first === undefined) return [];
  const behind = [
    ...filtersOf(inspection, { group: ast.group }),
    ...others.map((step) => ({ ast: step, isRoot: false, isValue: false })),
  ];
  if (first.type === 'variable') {
    const isKnown = inspectVariable(inspection, first, others, others.length > 0);
    // After an unknown name, all names are unknown.
    return isKnown ? [...filtersOf(inspection, first), ...behind] : [];
  }
  if (first.type === 'function') {
    const inner = inspectCall(inspection, first, others, isRoot);
    return inner.length === 0 && isNodeSelector(first) ? [] : [...inner, ...behind];
  }
  if (first.type === 'name' && isRoot) inspectField(inspection, steps);
  return [{ ast: first, isRoot, isValue: false }, ...behind];
};

/** Checks a field of an input whose fields are known. */
const inspectField = (
  { names, problems, reportedTo }: Inspection,
  [first, ...others]: readonly Ast[],
): void => {
  if (first === undefined || names.fields === null || Number(first.position) <= reportedTo) return;
  add(problems, describeRequestField(names, names.fields, first, others));
};

/** Checks a variable and, after `$nodes`, the node id. @returns whether both are valid */
const inspectVariable = (
  inspection: Inspection,
  variable: Ast,
  others: readonly Ast[],
  isValue: boolean,
): boolean => {
  const { names, bound, problems } = inspection;
  const name = String(variable.value);
  if (name === '' || name === '$' || bound.has(name)) return true;
  const before = problems.size;
  if (name === 'nodes') {
    if (textsIn(listOf(variable.predicate)).length === 0) inspectNodeId(inspection, others);
  } else if (name === 'trigger') inspectTriggerField(inspection, others);
  else if (name === 'execution') inspectExecutionField(inspection, others);
  else if (name === 'item' && names.hasItem === true) return true;
  else if (name === 'vars') inspectVariableName(inspection, others);
  else if (names.isFunction(name)) {
    if (isValue) add(problems, { message: `$${name} is a function: to call it, write $${name}()` });
  } else add(problems, describeUnknownVariable(names, bound, name, namesBehind(variable, others)));
  return problems.size === before;
};

const inspectNodeId = (inspection: Inspection, [step, ...others]: readonly Ast[]): void => {
  const { text, names, problems } = inspection;
  if (step?.type !== 'name' && step?.type !== 'string') return;
  const problem = describeNodeId(text, names, step, others);
  if (problem === null) return;
  add(problems, problem);
  inspection.reportedTo = Number(step.position) - String(step.value).length + readDashed(text, step).length;
};

const inspectTriggerField = ({ names, problems }: Inspection, [step, ...others]: readonly Ast[]): void => {
  if (step?.type !== 'name' || names.triggerFields === null) return;
  add(problems, describeRequestField(names, names.triggerFields, step, others, '$trigger.'));
};

const inspectExecutionField = ({ problems, names }: Inspection, [step]: readonly Ast[]): void => {
  if (step?.type !== 'name' || EXECUTION_FIELDS.includes(String(step.value))) return;
  const name = String(step.value);
  const near = names.findNearest(name, EXECUTION_FIELDS);
  const meant = near === null ? null : `$execution.${near}`;
  add(problems, {
    message: `$execution has no ${quote(name)}, but ${quoteAll(EXECUTION_FIELDS)}${didYouMean(meant)}`,
    ...correct(`$execution.${name}`, meant),
  });
};

const inspectVariableName = ({ problems, names }: Inspection, [step]: readonly Ast[]): void => {
  const { variables, findNearest } = names;
  const name = String(step?.value);
  if (step?.type !== 'name' || variables === null || variables.includes(name)) return;
  const near = findNearest(name, variables);
  const meant = near === null ? null : `$vars.${near}`;
  const hint = meant === null ? `; to set it: hookloom variable set ${name} VALUE` : didYouMean(meant);
  add(problems, {
    message: `this stage has no variable ${quote(name)}${hint}`,
    ...correct(`$vars.${toName(name)}`, meant),
  });
};

/** @param others - the steps of the path after the call */
const inspectCall = (inspection: Inspection, ast: Ast, others: readonly Ast[], isRoot: boolean): Visit[] => {
  const { names, bound, problems, hasLambda } = inspection;
  const { procedure } = ast;
  const parameters = listOf(ast.arguments);
  const inner = parameters.map((parameter) => ({ ast: parameter, isRoot, isValue: false }));
  if (!isAst(procedure)) return inner;
  const method = nameOfMethod(procedure);
  if (method !== null) {
    // An expression that defines functions may call one that is a value in an object, but gives it no function.
    if (!hasLambda || parameters.some(({ type }) => type === 'lambda'))
      add(problems, { message: describeMethod(names, method) });
    return inner;
  }
  if (procedure.type !== 'variable') return [{ ast: procedure, isRoot, isValue: false }, ...inner];
  const name = String(procedure.value);
  if (isNodeSelector(ast)) {
    const [id] = parameters;
    const path = withoutWrappers(namesBehind(undefined, others));
    const meant =
      typeof id?.value === 'string' ? toNodePath(resolveId(names, id.value), path) : '$nodes.<id>';
    add(problems, {
      message: `there is no $( ): the output of another node is $nodes.<id>${didYouMean(meant)}`,
    });
    return [];
  }
  const [first, second] = parameters;
  if (
    name === 'lookup' &&
    first?.type === 'variable' &&
    first.value === 'nodes' &&
    second?.type === 'string'
  ) {
    inspectNodeId(inspection, [second, ...others]);
  }
  if (!names.isFunction(name) && !bound.has(name)) add(problems, describeUnknownFunction(names, bound, name));
  return [...inner, ...filtersOf(inspection, ast)];
};
