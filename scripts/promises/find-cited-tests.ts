import { childrenOf } from '../../tests/support/import-graph.ts';
import { parseSource, type SyntaxNode } from '../../tests/support/parse-source.ts';

/** A test, or a group of tests, below a comment `// holds: one-delivery-one-run, survives-a-kill`. */
export interface CitedTest {
  readonly file: string;
  /** With the titles of its groups. What differs from case to case is `…`. */
  readonly title: string;
  readonly ids: readonly string[];
  /** Whether `npm run test:nightly` gives it more cases than `npm test`. */
  readonly hasMoreCases: boolean;
}

/** Ids of invariants, which are cited in the same comments. */
const INVARIANT = /^[SBN]\d+$/;

/**
 * The tests of a file that cite promises, in their order.
 *
 * @throws Error when such a comment is not directly above a test
 */
export const findCitedTests = (file: string, text: string): CitedTest[] => {
  const { program, comments } = parseSource(file, text);
  const tests = findTests(program);
  const idsOf = new Map<SyntaxNode, string[]>();
  for (const comment of comments) {
    const [, list] = /^ holds: (.*)$/.exec(comment.type === 'Line' ? comment.value : '') ?? [];
    if (list === undefined) continue;
    const next = tests.find(({ node }) => node.start > comment.end)?.node;
    const between = comments
      .filter(({ start, end }) => start > comment.end && end < (next?.start ?? 0))
      .reduce(
        (rest, { start, end }) => rest.replace(text.slice(start, end), ''),
        text.slice(comment.end, next?.start),
      );
    if (next === undefined || between.trim() !== '') {
      const line = text.slice(0, comment.start).split('\n').length;
      throw new Error(`${file}:${line}: "// holds:" must be directly above a test`);
    }
    const ids = list.split(',').map((id) => id.trim());
    idsOf.set(next, [...(idsOf.get(next) ?? []), ...ids.filter((id) => !INVARIANT.test(id))]);
  }
  const varying = findVaryingNames(program);
  return tests.flatMap(({ node, titles }) => {
    const ids = idsOf.get(node) ?? [];
    const hasMoreCases = varying.size > 0 && namesIn(node).some((name) => varying.has(name));
    return ids.length === 0 ? [] : [{ file, title: titles.join(' › '), ids, hasMoreCases }];
  });
};

interface FoundTest {
  readonly node: SyntaxNode;
  readonly titles: readonly string[];
}

/** The calls of `test`, `describe` and their `each`, in the order of the text. */
const findTests = (node: SyntaxNode, titles: readonly string[] = []): FoundTest[] => {
  const call = node.type === 'ExpressionStatement' ? (node.expression as SyntaxNode) : null;
  if (call?.type !== 'CallExpression' || !/^(?:test|describe)$/.test(calledName(call)))
    return childrenOf(node).flatMap((child) => findTests(child, titles));
  const own = [...titles, titleOf(call)];
  return [{ node, titles: own }, ...childrenOf(call).flatMap((child) => findTests(child, own))];
};

/** `test` of `test.each([…])('…')`. */
const calledName = ({ type, callee, object, name }: SyntaxNode): string => {
  if (type === 'CallExpression') return calledName(callee as SyntaxNode);
  return type === 'MemberExpression' ? calledName(object as SyntaxNode) : String(name);
};

const titleOf = (call: SyntaxNode): string => {
  const [{ value, quasis } = call] = call.arguments as SyntaxNode[];
  const parts = quasis as readonly { readonly value: { readonly cooked: string } }[] | undefined;
  const title =
    typeof value === 'string' ? value : (parts?.map((part) => part.value.cooked).join('…') ?? '…');
  const isEach = (call.callee as SyntaxNode).type === 'CallExpression';
  return isEach ? title.replaceAll(/%[a-z]|\$\w+/g, '…') : title;
};

/** `cases` of tests/support/deep.ts, and the constants that depend on it. */
const findVaryingNames = (program: SyntaxNode): ReadonlySet<string> => {
  const names = new Set<string>();
  const all = allNodes(program);
  const isImported = all.some(
    ({ type, source }) =>
      type === 'ImportDeclaration' && String((source as SyntaxNode).value).endsWith('support/deep.ts'),
  );
  if (isImported) names.add('cases');
  for (const { type, id, init } of all) {
    if (type !== 'VariableDeclarator' || init === null) continue;
    const { name } = id as SyntaxNode;
    if (typeof name === 'string' && namesIn(init as SyntaxNode).some((known) => names.has(known)))
      names.add(name);
  }
  return names;
};

const allNodes = (node: SyntaxNode): SyntaxNode[] => [node, ...childrenOf(node).flatMap(allNodes)];

/** The identifiers in a node. */
const namesIn = (node: SyntaxNode): string[] =>
  allNodes(node).flatMap(({ type, name }) => (type === 'Identifier' ? [String(name)] : []));
