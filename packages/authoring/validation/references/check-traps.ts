import { type CallNode, describeSignature, type Natives, type Node } from '@hookloom/counted-jsonata';
import { branchesOf, fieldSchema, isUnknown } from '@hookloom/plugin-kit/host';
import { quote } from '../../../../lib/shared/describe.ts';
import { correct, type Finding } from '../proposals/correction.ts';
import type { TypeScope } from '../types/infer-expression.ts';
import { contextOf, mayBe, type Type } from '../types/types.ts';
import { isDataPath, isQuotedPath, SQL } from './data-source.ts';
import { toName } from './names.ts';
import { nodesOf } from './syntax-tree.ts';

type NodeOf<Kind extends Node['type']> = Node & { readonly type: Kind };

interface Traps {
  readonly scope: TypeScope;
  readonly natives: Natives;
  readonly typeOf: ReadonlyMap<Node, Type>;
}

/** Finds what can be evaluated, but seldom means what its author meant. */
export const findTraps = (tree: Node, traps: Traps): Finding[] => {
  const inner = new Set<Node>();
  return [
    ...findInWhole(tree),
    ...[...nodesOf(tree)].flatMap((node) => {
      switch (node.type) {
        case 'binary':
          // `a = 1 or 2 or 3` is reported once.
          if (node.value === 'or' && isLiteral(node.rhs)) inner.add(node.lhs);
          return [
            ...(inner.has(node) ? [] : findInChoice(node)),
            ...findInComparison(node),
            ...findJoinedText(node),
          ];
        case 'function':
          return [...findInArguments(node), ...findIndexedCall(node, traps)];
        case 'path':
          return findInFilters(node, traps);
        case 'string':
          return isIndexed(node.predicate) ? [indexOfText(JSON.stringify(node.value))] : [];
        default:
          return [];
      }
    }),
  ];
};

const warning = (message: string, corrected: Pick<Finding, 'correction'> = {}): Finding => ({
  message,
  severity: 'warning',
  ...corrected,
});

/** Paths and conditions in quotes. */
const findInWhole = (tree: Node): Finding[] => {
  const text = literalText(tree);
  return text !== null && isQuotedPath(text) ? [inQuotes(text)] : [];
};

/** The text of a string literal; null for anything else. */
const literalText = (node: Node | undefined): string | null =>
  node?.type === 'string' ? String(node.value) : null;

const inQuotes = (text: string): Finding =>
  warning(`"${text}" in quotes is a text; did you mean ${quote(text)}?`, correct(JSON.stringify(text), text));

const asPath = (node: Node): string | null => {
  const text = literalText(node);
  return text !== null && isDataPath(text) ? text : null;
};

/** Functions of a value that is seldom a fixed text. */
const OF_DATA = [
  'exists',
  'number',
  'string',
  'uppercase',
  'lowercase',
  'trim',
  'length',
  'count',
  'sum',
  'not',
  'boolean',
  'toMillis',
  'fromMillis',
  'keys',
  'map',
  'filter',
  'lookup',
  'type',
  'round',
  'max',
  'min',
  'average',
  'split',
  'join',
];

const findInArguments = ({ procedure, arguments: [first] }: CallNode): Finding[] => {
  const path = first === undefined ? null : asPath(first);
  return path !== null && procedure.type === 'variable' && OF_DATA.includes(procedure.value)
    ? [inQuotes(path)]
    : [];
};

/** `total = 1 or 2`: an operand of `and` and `or` that is no condition, or two that exclude or include each other. */
const findInChoice = (node: NodeOf<'binary'>): Finding[] => {
  const { value, lhs, rhs } = node;
  if (value !== 'or' && value !== 'and') return [];
  const fixed = [lhs, rhs].find(isLiteral);
  if (fixed !== undefined) {
    const path = asPath(fixed);
    if (path !== null) return [inQuotes(path)];
    const literals = value === 'or' ? literalsOf(lhs, rhs) : null;
    const meant = literals === null ? '' : `; did you mean ${quote(literals)}?`;
    return [
      warning(
        `"${value}" joins conditions, and ${JSON.stringify(fixed.value)} by itself is always ${Boolean(fixed.value)}${meant}`,
      ),
    ];
  }
  const [one, other] = [lhs, rhs].map(comparisonOf);
  const sign = value === 'or' ? '!=' : '=';
  if (one?.path === undefined || one.path !== other?.path || one.sign !== sign || other.sign !== sign)
    return [];
  if (one.literal === other.literal) return [];
  return value === 'or'
    ? [
        warning(
          `is always true, since ${one.path} differs from one of them: join with "and", or write $not(${one.path} in [${one.literal}, ${other.literal}])`,
        ),
      ]
    : [
        warning(
          `is always false, since ${one.path} has one value: join with "or", or write ${one.path} in [${one.literal}, ${other.literal}]`,
        ),
      ];
};

type Literal = NodeOf<'string' | 'number' | 'value'>;

const isLiteral = (node: Node): node is Literal =>
  node.type === 'string' || node.type === 'number' || node.type === 'value';

/** `path in [1, 2]` for `path = 1 or 2`; null for anything else. */
const literalsOf = (lhs: Node, rhs: Node): string | null => {
  const before = lhs.type === 'binary' && lhs.value === 'or' ? literalsOf(lhs.lhs, lhs.rhs) : null;
  const first = comparisonOf(lhs);
  if (!isLiteral(rhs)) return null;
  const own = JSON.stringify(rhs.value);
  if (before !== null) return before.replace(/\]$/, () => `, ${own}]`);
  return first?.sign === '=' ? `${first.path} in [${first.literal}, ${own}]` : null;
};

const comparisonOf = (node: Node) => {
  if (node.type !== 'binary') return undefined;
  const path = toText(node.lhs);
  return path !== null && isLiteral(node.rhs)
    ? { path, sign: node.value, literal: JSON.stringify(node.rhs.value) }
    : undefined;
};

/** The text of a path of plain names; null for anything else. */
const toText = (node: Node): string | null => (node.type === 'path' ? joinSteps(node.steps) : null);

const joinSteps = (steps: readonly Node[]): string | null => {
  const names = steps.map((step) => {
    if (step.stages !== undefined || step.predicate !== undefined) return null;
    if (step.type === 'variable') return `$${step.value}`;
    return step.type === 'name' ? toName(step.value) : null;
  });
  return names.includes(null) ? null : names.join('.');
};

const ORDERS = ['<', '<=', '>', '>='];
const COMPARISONS = ['=', '!=', ...ORDERS];
/** A date that doesn't begin with its year. */
const LOCAL_DATE = /^\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})\b/;
const NUMERIC = /^-?\d{1,15}(?:[.,]\d{1,15})?$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT/;
/** Times that have the form and the zone of `$now()`. */
const OWN_TIMES = ['triggeredAt', 'startedAt'];

const findInComparison = ({ value, lhs, rhs }: NodeOf<'binary'>): Finding[] => {
  if (!COMPARISONS.includes(value)) return [];
  const [left, right] = [toText(lhs), toText(rhs)];
  if (left !== null && left === right) return [warning(`compares ${left} with itself`)];
  for (const [side, other] of [
    [lhs, rhs],
    [rhs, lhs],
  ] as const) {
    const path = asPath(side);
    if (path !== null) return [inQuotes(path)];
    const found = compareText(value, side, other);
    if (found !== null) return [found];
  }
  return [];
};

const compareText = (operator: string, side: Node, other: Node): Finding | null => {
  const path = toText(other);
  const given = literalText(side);
  if (given !== null && !isLiteral(other)) {
    const text = JSON.stringify(given);
    if (!ORDERS.includes(operator)) return null;
    if (NUMERIC.test(given))
      return warning(
        `compares texts, of which "9" is greater than "10": write the number without quotes, and $number(${path ?? '…'}) if the other side is a text`,
      );
    if (LOCAL_DATE.test(given))
      return warning(
        `compares texts letter by letter, which is not the order of dates such as ${text}: compare times, as $toMillis(…, "[D01].[M01].[Y0001]") does with a picture of the date`,
      );
    return path !== null && TIMESTAMP.test(given) && !isOwnTime(path)
      ? asTimes(path, `$toMillis(${text})`)
      : null;
  }
  const clock = clockOf(side);
  if (clock === null || path === null || isOwnTime(path)) return null;
  if (!ORDERS.includes(operator))
    return clock.isExact ? warning(`compares with the time to the millisecond: it is never equal`) : null;
  if (clock.isExact && clock.name === 'millis') return null;
  if (!clock.isSorted)
    return warning(
      'compares texts letter by letter, which is the order of time only in a form that begins with the year, then month and day',
    );
  return clock.isExact ? asTimes(path, '$millis()') : null;
};

const isOwnTime = (path: string): boolean => OWN_TIMES.some((name) => path.endsWith(name));

const asTimes = (path: string, time: string): Finding =>
  warning(
    `compares texts letter by letter, which is the order of time only in the same form and zone: compare $toMillis(${path}) with ${time}`,
  );

const clockOf = (node: Node) => {
  if (node.type !== 'function' || node.procedure.type !== 'variable') return null;
  const name = node.procedure.value;
  if (name !== 'now' && name !== 'millis' && name !== 'fromMillis') return null;
  const picture = node.arguments[name === 'fromMillis' ? 1 : 0];
  if (name === 'fromMillis' && picture === undefined) return null;
  return {
    name,
    isExact: picture === undefined,
    isSorted: /^\[[YHhms]/.test(literalText(picture) ?? '[Y'),
  };
};

/** JSON and SQL that are joined from texts and data. */
const findJoinedText = (node: NodeOf<'binary'>): Finding[] => {
  const start = literalText(node.lhs);
  if (node.value !== '&' || start === null) return [];
  if (/^\s*[{[]\s*["{[]/.test(start)) return [warning(JOINED_JSON)];
  if (GRAPHQL.test(start)) return [warning(JOINED_GRAPHQL)];
  return SQL.test(start) || /^\s*(?:select|insert into|update|delete from)\s/i.test(start)
    ? [warning(JOINED_SQL)]
    : [];
};

export const JOINED_JSON =
  'puts values into the text of JSON, which a quote or a line break in them breaks: write the JSON itself with expressions as its values, or $string({ … }) where a text is needed';
/** A document of GraphQL. */
export const GRAPHQL = /^\s*(?:query|mutation|subscription)(?:\s+\w{1,100})?\s*(?:\([^{}()]{0,500}\)\s*)?\{/;
export const JOINED_GRAPHQL =
  'puts values into a GraphQL document, where a quote in them ends the text and the rest is GraphQL: declare variables, as in query ($id: ID!), and pass the values as "variables"';
export const JOINED_SQL =
  'puts values into SQL, where a quote in them ends the text and the rest is SQL: write placeholders, and pass the values as parameters';

const isIndex = (node: Node): boolean =>
  node.type === 'number' ||
  (node.type === 'unary' && node.value === '-' && node.expression.type === 'number');

const isIndexed = (stages: Node['predicate']): boolean =>
  (stages ?? []).some((stage) => stage.type === 'filter' && isIndex(stage.expr));

const indexOfText = (text: string): Finding =>
  warning(
    `takes [ ] of a text, which is the text itself or nothing: for a part of it, write $substring(${text}, 0, 1)`,
  );

const isText = (type: Type): boolean =>
  !isUnknown(type) && branchesOf(type).every((branch) => branch.type === 'string');

const findIndexedCall = ({ procedure, predicate }: CallNode, { natives }: Traps): Finding[] => {
  if (procedure.type !== 'variable' || !isIndexed(predicate)) return [];
  const native = natives.get(procedure.value);
  return native !== undefined && describeSignature(native.signature).result === 's'
    ? [indexOfText(`$${procedure.value}(…)`)]
    : [];
};

/** `text[0]`, and names of the input in a predicate, where they are read from each item. */
const findInFilters = (node: NodeOf<'path'>, { scope, typeOf }: Traps): Finding[] => {
  const findings: Finding[] = [];
  for (const [at, step] of node.steps.entries()) {
    const filters = (step.stages ?? []).flatMap((stage) => (stage.type === 'filter' ? [stage.expr] : []));
    if (filters.length === 0 || step.type !== 'name') continue;
    const before = at === 0 ? scope.input : typeOf.get(node.steps[at - 1] as Node);
    const own = before === undefined ? null : fieldSchema(contextOf(before).each, step.value);
    const [parents, name] = [joinSteps(node.steps.slice(0, at)), toName(step.value)];
    const path = parents === '' ? name : `${parents ?? '…'}.${name}`;
    if (own !== null && isText(own) && filters.some(isIndex)) findings.push(indexOfText(path));
    const item = own === null ? {} : contextOf(own).each;
    for (const filter of filters) findings.push(...findOutsideNames(filter, item, scope, path));
  }
  return findings;
};

/** Parts of a request, which items seldom have. */
const REQUEST = ['body', 'headers', 'queryParams', 'pathParams'];

const findOutsideNames = (filter: Node, item: Type, { input }: TypeScope, list: string): Finding[] => {
  const isBare = filter.type === 'path';
  return [...nodesOf(filter)].flatMap((node): Finding[] => {
    if (node.type !== 'path' || node.steps[0]?.type !== 'name') return [];
    const name = node.steps[0].value;
    const outside = isUnknown(input) ? null : fieldSchema(input, name);
    const isKnown =
      outside !== null &&
      branchesOf(input).every(({ properties }) => Object.hasOwn((properties ?? {}) as object, name));
    // Of an item of known fields, a name that it lacks is reported as missing.
    if (!isKnown || !isUnknown(item)) return [];
    const isIndexed = isBare && node === filter && !isUnknown(outside) && !mayBe(outside, 'boolean');
    const isOfRequest = node.steps.length > 1 && REQUEST.includes(name);
    if (!isIndexed && !isOfRequest) return [];
    const text = toText(node) ?? name;
    return [
      warning(
        `${text} in [ ] is read from each item of ${list}, not from the input; did you mean "$$.${text}"?`,
        correct(`[${text}]`, `[$$.${text}]`),
      ),
    ];
  });
};
