import { describe, expect, test } from '@jest/globals';
import { childrenOf, readSources } from './support/import-graph.ts';
import { parseSource, type SyntaxNode } from './support/parse-source.ts';
import { projectRoot } from './support/run-command.ts';

/** What a caller presents, or what it is compared with. */
const SECRET =
  /(?:^|[a-z])(?:secret|token|signature|hash|digest|hmac|password|key|given|expected|presented)$/i;

/** The name of a value, without `await`, indexes and conversions: `given` of `given.toLowerCase()`. */
const nameOf = ({ type, name, property, object, callee, argument, computed }: SyntaxNode): string => {
  if (type === 'Identifier') return String(name);
  if (type === 'CallExpression')
    return nameOf((callee as { readonly object?: SyntaxNode }).object ?? (callee as SyntaxNode));
  if (type === 'AwaitExpression') return nameOf(argument as SyntaxNode);
  return type === 'MemberExpression' ? nameOf((computed === true ? object : property) as SyntaxNode) : '';
};

/** Comparisons whose time depends on how much of a secret is right. */
const findComparisons = (file: string, text: string): string[] => {
  const found: string[] = [];
  const visit = (node: SyntaxNode): void => {
    const { type, operator, left, right, start, end } = node;
    const sides = [left, right] as SyntaxNode[];
    if (
      type === 'BinaryExpression' &&
      /^[!=]==?$/.test(String(operator)) &&
      sides.every((side) => side.type !== 'Literal' && nameOf(side) !== 'undefined') &&
      sides.some((side) => SECRET.test(nameOf(side)))
    )
      found.push(`${file}: ${text.slice(start, end)}`);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseSource(file, text).program);
  return found;
};

/** What checks secrets of callers and senders, and callback URLs. */
const checked = Object.entries(
  readSources(projectRoot, ['lib/credentials', 'lib/approvals', 'lib/webhooks']),
).filter(([file]) =>
  /^lib\/(?:credentials\/[^/]+|approvals\/[^/]+|webhooks\/(?:[^/]+|features\/(?:handshake|sender|signature)\/.*))\.ts$/.test(
    file,
  ),
);

// holds: constant-time-checks
describe('secrets of callers are compared in constant time', () => {
  test('nothing compares them by an operator', () => {
    expect(checked.length).toBeGreaterThan(40);
    expect(checked.flatMap(([file, text]) => findComparisons(file, text))).toEqual([]);
  });

  test.each([
    'lib/credentials/verify.ts',
    'lib/approvals/callback-token.ts',
    'lib/webhooks/features/sender/is-equal.ts',
  ])('%s compares by timingSafeEqual', (file) => {
    const [, text = ''] = checked.find(([name]) => name === file) ?? [];
    expect(text).toMatch(/ && timingSafeEqual\(\w+, \w+\);$/m);
  });

  test.each([
    'hash === live.hash',
    'given.toLowerCase() !== expected',
    'await digest(secret) == stored',
    'headers[name] === apiKey',
  ])('%s would be found', (text) => {
    expect(findComparisons('a.ts', `const isSame = async () => ${text};`)).toHaveLength(1);
  });

  test.each(['secret === undefined', "token === ''", 'secrets.length === other.length', 'secret === null'])(
    '%s is none',
    (text) => {
      expect(findComparisons('a.ts', `const isSame = async () => ${text};`)).toEqual([]);
    },
  );
});
