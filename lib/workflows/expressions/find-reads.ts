import { compileJsonata } from './compile-expression.ts';
import type { ParsedExpression } from './language.chunk.ts';
import { compileSimple, isKeyword, type Token, tokenizeSimple } from './simple-expression.ts';

export interface Read {
  /** The path as an expression: `body.total`, `$trigger.id`; `$` is the whole input. */
  readonly path: string;
  readonly root: 'input' | 'nodes' | 'trigger' | 'execution' | 'vars' | 'item';
  /** The names that follow the root, up to the first step that is not a plain name. */
  readonly names: readonly string[];
}

interface Reads {
  /** Each path once, in the order of the expression. */
  readonly reads: readonly Read[];
  /** A simple expression, split at its paths; null for any other. Literals are JSON. */
  readonly parts: readonly (Read | string)[] | null;
}

/**
 * Finds the paths that an expression reads. Steps after a filter, a wildcard or a function depend on the data, so a path
 * ends before them: `items[price > 9].name` reads `items`.
 * @param text - without braces
 * @throws ExpressionError for a syntax error
 */
export const findReads = async (text: string): Promise<Reads> => {
  const tokens = compileSimple(text) === null ? null : tokenizeSimple(text);
  if (tokens !== null) {
    const parts = splitTokens(tokens);
    return { reads: unique(parts.filter((part) => typeof part !== 'string')), parts };
  }
  return { reads: unique(readsOf((await compileJsonata(text)).tree, true)), parts: null };
};

const unique = (reads: readonly Read[]): readonly Read[] => [
  ...new Map(reads.map((read) => [read.path, read])).values(),
];

const ROOTS: Readonly<Record<string, Read['root']>> = {
  '': 'input',
  $: 'input',
  nodes: 'nodes',
  trigger: 'trigger',
  item: 'item',
  execution: 'execution',
  vars: 'vars',
};

const toRead = (root: Read['root'], names: readonly string[]): Read => {
  const start = root === 'input' ? [] : [`$${root}`];
  const path = [...start, ...names.map((name) => (isPlainName(name) ? name : `\`${name}\``))].join('.');
  return { path: path === '' ? '$' : path, root, names };
};

const isPlainName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !isKeyword(name);

const splitTokens = (tokens: readonly Token[]): (Read | string)[] => {
  const parts: (Read | string)[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const { kind, text } = token;
    const isRoot = kind === 'variable' || kind === 'name' || (kind === 'word' && !isKeyword(text));
    if (!isRoot) {
      parts.push(kind === 'string' ? JSON.stringify(text) : text);
      continue;
    }
    const names = kind === 'variable' ? [] : [text];
    for (; isDot(tokens[at + 1]); at += 2) names.push(tokens[at + 2]?.text ?? '');
    parts.push(toRead(kind === 'variable' ? (ROOTS[text.slice(1)] ?? 'input') : 'input', names));
  }
  return parts;
};

const isDot = (token: Token | undefined): boolean => token?.kind === 'symbol' && token.text === '.';

type Node = ParsedExpression['tree'];

/**
 * The paths in a syntax tree.
 * @param isInput - whether names are read from the node's input, and not from the items of an enclosing path
 */
const readsOf = (node: Node, isInput: boolean): Read[] =>
  node.type === 'path'
    ? [...relativeReads(node), ...pathReads(node.steps, isInput)]
    : isStart(node)
      ? pathReads([node], isInput)
      : [...relativeReads(node), ...childrenOf(node).flatMap((child) => readsOf(child, isInput))];

/** The nodes that are evaluated in the context of their parent. */
const childrenOf = (node: Node): readonly Node[] => {
  switch (node.type) {
    case 'binary':
    case 'apply':
      return [node.lhs, node.rhs];
    case 'unary':
      if ('lhs' in node) return node.lhs.flat();
      return 'expressions' in node ? node.expressions : [node.expression];
    case 'condition':
      return [node.condition, node.then, ...(node.else === undefined ? [] : [node.else])];
    case 'block':
      return node.expressions;
    case 'bind':
      return [node.rhs];
    case 'lambda':
      return [node.body];
    case 'function':
    case 'partial': // a function by name is a variable too, but no data
      return node.procedure.type === 'variable' ? node.arguments : [node.procedure, ...node.arguments];
    default:
      return [];
  }
};

/** Paths in what is evaluated for the items of a node: predicates, groups, and the terms of a sort. */
const relativeReads = (node: Node): Read[] => {
  const predicates = [...(node.stages ?? []), ...(node.predicate ?? [])].flatMap((stage) =>
    stage.type === 'filter' ? [stage.expr] : [],
  );
  const terms = node.type === 'sort' ? node.terms.map(({ expression }) => expression) : [];
  const updates =
    node.type === 'transform' ? [node.pattern, node.update, ...(node.delete ? [node.delete] : [])] : [];
  const group = node.group?.lhs.flat() ?? [];
  return [...predicates, ...group, ...terms, ...updates].flatMap((one) => readsOf(one, false));
};

const pathReads = ([first, ...rest]: readonly Node[], isInput: boolean): Read[] => {
  if (first === undefined) return [];
  const root = rootOf(first, isInput);
  const names = first.type === 'name' ? [first.value] : [];
  const isPlain = first.type === 'name' || first.type === 'variable';
  const steps = [first, ...rest];
  for (let at = 1; isPlain && !changesData(steps[at - 1]); at++) {
    const step = steps[at];
    if (step?.type !== 'name') break;
    names.push(step.value);
  }
  // The step after `@$v` reads from where the one before it does.
  const hasFocus = isInput && steps.some(({ focus }) => focus !== undefined);
  return [
    ...(root === null ? [] : [toRead(root, names)]),
    ...(hasFocus ? [toRead('input', [])] : []),
    ...(isStart(first) ? relativeReads(first) : readsOf(first, isInput)),
    ...rest.flatMap((step) => (isStart(step) ? relativeReads(step) : readsOf(step, false))),
  ];
};

/** Whether a node can start a path, or be one by itself. */
const isStart = ({ type }: Node): boolean =>
  type === 'name' || type === 'variable' || type === 'wildcard' || type === 'descendant' || type === 'parent';

/** @returns null for a path that starts at something other than data of the scope, such as a local variable */
const rootOf = (first: Node, isInput: boolean): Read['root'] | null => {
  switch (first.type) {
    case 'variable': {
      // Within a path, `$` is the item, while `$$` is always the input.
      if (first.value === '' && !isInput) return null;
      return Object.hasOwn(ROOTS, first.value) ? (ROOTS[first.value] ?? null) : null;
    }
    case 'name':
    case 'wildcard':
    case 'descendant':
    case 'parent':
      return isInput ? 'input' : null;
    default:
      return null;
  }
};

/** Whether what follows a step does not read plainly from its value. */
const changesData = (step: Node | undefined): boolean =>
  step === undefined ||
  [step.stages, step.predicate, step.group, step.focus, step.index].some((part) => part !== undefined);
