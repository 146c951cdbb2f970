import { quote } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import type { DraftGraph } from '../graph/draft-graph.ts';
import { checkLink } from '../mistakes/check-links.ts';
import { eachValue } from '../mistakes/check-values.ts';
import { proposeValue } from '../proposals/proposal.ts';
import { type Ast, isAst, listOf, parseTree } from './syntax-tree.ts';

/** The formats of values that are URLs, as `eachValue` has them. */
const URL_FORMATS: ReadonlySet<string | null> = new Set(['url', 'uri', 'uri-reference']);

/**
 * Finds expressions in URLs whose value is encoded once too often, or that probably give several parts of the URL, of
 * which encoding makes one.
 */
export const checkUrls = ({ nodes }: DraftGraph): Problem[] =>
  nodes.flatMap(({ index, node, nodeType }) =>
    [...eachValue(nodeType?.schema, node.parameters, `/nodes/${index}/parameters`)].flatMap(
      ({ value, path, format }) =>
        typeof value === 'string' && URL_FORMATS.has(format)
          ? [...checkText(value, path), ...(format === 'url' ? checkLink(value, path) : [])]
          : [],
    ),
  );

const checkText = (text: string, path: string): Problem[] => {
  const parts = splitTemplate(text);
  let before = '';
  return parts.flatMap((part): Problem[] => {
    if ('text' in part) {
      before += part.text;
      return [];
    }
    const isStart = before === '';
    before += VALUE;
    if (isStart) return findJoined(part.expression, path);
    const advice = advise(part.expression.trim(), before.slice(0, -VALUE.length));
    if (advice === null) return [];
    const corrected = `${text.slice(0, part.offset)} ${advice.meant} ${text.slice(part.offset + part.expression.length)}`;
    return [{ path, message: advice.message, severity: 'warning', ...proposeValue(path, corrected) }];
  });
};

/** A URL that an expression joins from text and values is taken as written, with all that the values contain. */
const findJoined = (expression: string, path: string): Problem[] => {
  const tree = parseTree(expression.trim());
  const operands = tree === null ? [] : operandsOf(tree);
  const [first, ...others] = operands;
  const isJoined = first?.type === 'string' && /^https?:\/\//i.test(String(first.value));
  if (!isJoined || others.every((one) => one.type === 'string' || nameOfCall(one) === 'encodeUrlComponent'))
    return [];
  const message = `${quote(`{{ ${expression.trim()} }}`)} gives the URL as it is written, and values in it are not encoded: write its text outside of the braces, as in "https://api.example/orders/{{ body.id }}"`;
  return [{ path, message, severity: 'warning' }];
};

/** What is joined with `&`, in order. */
const operandsOf = (tree: Ast): Ast[] => {
  if (tree.type === 'block') return listOf(tree.expressions).slice(-1).flatMap(operandsOf);
  return tree.type === 'binary' && tree.value === '&'
    ? [tree.lhs, tree.rhs].filter(isAst).flatMap(operandsOf)
    : [tree];
};

/** Stands for the value of an expression. */
const VALUE = 'x';

interface Advice {
  readonly message: string;
  /** The expression that was probably meant. */
  readonly meant: string;
}

/** @param before - the URL before the expression */
const advise = (expression: string, before: string): Advice | null => {
  const tree = parseTree(expression);
  if (tree === null) return null; // reported with the other expressions
  const raw = `$rawUrl(${expression})`;
  const said = quote(`{{ ${expression} }}`);
  const [, name = '', inner = ''] = /^\$(encodeUrl(?:Component)?)\((.*)\)$/s.exec(expression) ?? [];
  const isWhole = nameOfCall(tree) === name && parseTree(inner) !== null;
  if (isWhole && name === 'encodeUrlComponent')
    return {
      message: `${said} is encoded without $encodeUrlComponent, too: write ${quote(`{{ ${inner} }}`)}`,
      meant: inner,
    };
  if (isWhole && name === 'encodeUrl')
    return {
      message: `${said} keeps "/" and "&": without $encodeUrl, all is encoded; for several parts of the URL write ${quote(`{{ $rawUrl($encodeUrl(${inner})) }}`)}`,
      meant: inner,
    };
  const outer = nameOfCall(tree);
  if (outer !== null && /^(?:rawUrl|encodeUrl)/.test(outer)) return null;
  if (/\$encodeUrl(?:Component)?\b/.test(expression) && !isEncodedInAll(tree))
    return {
      message: `${said} is encoded twice, by the function and as a part of the URL: write ${quote(`{{ ${raw} }}`)}`,
      meant: raw,
    };
  return givesSeveral(tree, before)
    ? {
        message: `${said} is encoded as one part of the URL, with each "/", "?" and "&" in it: if it gives several, write ${quote(`{{ ${raw} }}`)}`,
        meant: raw,
      }
    : null;
};

/** The function whose value the expression is; null for none. */
const nameOfCall = ({ type, procedure, rhs, value, expressions }: Ast): string | null => {
  if (type === 'function' && isAst(procedure)) return nameOfCall(procedure);
  if (type === 'apply' && isAst(rhs)) return nameOfCall(rhs);
  if (type === 'block') return nameOfCall(listOf(expressions).at(-1) ?? {});
  return type === 'variable' ? String(value) : null;
};

/** Whether each result of a condition is an encoded one, or a literal. */
const isEncodedInAll = (tree: Ast): boolean => {
  if (tree.type === 'string') return true;
  if (tree.type === 'condition')
    return [tree.then, tree.else].every((branch) => !isAst(branch) || isEncodedInAll(branch));
  return /^(?:rawUrl|encodeUrl)/.test(nameOfCall(tree) ?? '');
};

/** Names of values that have several parts of a URL, in any case. */
const SEVERAL =
  /^(?:path|pathname|path_?and_?query|query|query_?string|search|search_?params|qs|route|uri|url|href|suffix)$/i;

/** Whether a URL ends with its host, and nothing parts that from what follows. */
const endsInHost = (before: string): boolean =>
  /^https?:\/\/[^/?#\\]*$/i.test(before) && before.includes('.') && /[a-z\d]$/i.test(before);

const givesSeveral = (tree: Ast, before: string): boolean => {
  const isInQuery = before.includes('?');
  const separators = isInQuery ? /&/ : /[/?&]/;
  if (textsOf(tree).some((text) => separators.test(text))) return true;
  if (/=$/.test(before)) return false; // one value of the query
  const isNamed = SEVERAL.test(lastNameOf(tree)) && /[/?&]$/.test(before);
  return isNamed || endsInHost(before);
};

/** The strings that a value is joined from, with `&` or `$join`. */
const textsOf = (tree: Ast): string[] => {
  if (tree.type === 'string') return [String(tree.value)];
  if (tree.type === 'binary' && tree.value === '&')
    return [tree.lhs, tree.rhs].filter(isAst).flatMap(textsOf);
  if (tree.type === 'condition') return [tree.then, tree.else].filter(isAst).flatMap(textsOf);
  if (tree.type === 'block') return listOf(tree.expressions).slice(-1).flatMap(textsOf);
  return nameOfCall(tree) === 'join' ? listOf(tree.arguments).slice(1).flatMap(textsOf) : [];
};

const lastNameOf = (tree: Ast): string => {
  const step = tree.type === 'path' ? listOf(tree.steps).at(-1) : tree;
  return step?.type === 'name' ? String(step.value) : '';
};
