import { type CallNode, describeSignature, type Natives, type Node } from '@hookloom/counted-jsonata';
import { branchesOf, fieldSchema, isUnknown } from '@hookloom/plugin-kit/host';
import { quote } from '../../../../lib/shared/describe.ts';
import { correct, type Finding } from '../proposals/correction.ts';
import type { TypeScope } from '../types/infer-expression.ts';
import { mayBe, type Type } from '../types/types.ts';
import { isDataPath } from './data-source.ts';
import { toName } from './names.ts';
import { findBound, nodesOf } from './syntax-tree.ts';

type NodeOf<Kind extends Node['type']> = Node & { readonly type: Kind };

interface Habits {
  readonly scope: TypeScope;
  readonly natives: Natives;
  readonly typeOf: ReadonlyMap<Node, Type>;
}

/** Finds what is written as in other languages, and means something else, or fails, in JSONata. */
export const findHabits = (tree: Node, habits: Habits): Finding[] => {
  /** Lengths that are summed up are fields of the data. */
  const summed = new Set<Node>();
  const { bound } = findBound(tree);
  return [...nodesOf(tree)].flatMap((node): Finding[] => {
    switch (node.type) {
      case 'condition':
        return findFixedCondition(node);
      case 'binary':
        return [...findChained(node), ...findSeconds(node), ...findInText(node, habits)];
      case 'function':
        if (isCallOf(node, SUMS)) for (const argument of node.arguments) summed.add(argument);
        return isCallOf(node, [...bound]) ? [] : findInCall(node, habits);
      case 'string':
        return findBraces(node);
      case 'path':
        return [
          ...findWords(node, habits),
          ...(summed.has(node) ? [] : findLength(node, habits)),
          ...findFilters(node, habits),
        ];
      default:
        return [];
    }
  });
};

const warning = (message: string, corrected: Pick<Finding, 'correction'> = {}): Finding => ({
  message,
  severity: 'warning',
  ...corrected,
});

const isCallOf = (node: Node, names: readonly string[]): node is CallNode =>
  node.type === 'function' && node.procedure.type === 'variable' && names.includes(node.procedure.value);

const textOf = (node: Node | undefined): string | null =>
  node?.type === 'string' ? String(node.value) : null;

const isLiteral = (node: Node | undefined): node is NodeOf<'string' | 'number' | 'value'> =>
  node?.type === 'string' || node?.type === 'number' || node?.type === 'value';

/** The text of a path of plain names; null for anything else. */
const toText = (node: Node | undefined): string | null => {
  if (node?.type !== 'path') return null;
  const names = node.steps.map((step) => {
    if (step.stages !== undefined || step.predicate !== undefined) return null;
    if (step.type === 'variable') return `$${step.value}`;
    return step.type === 'name' ? toName(step.value) : null;
  });
  return names.includes(null) ? null : names.join('.');
};

/** `"body.a" ? 1 : 2`, and `null ?? 1`, which the parser makes a condition about whether the value exists. */
const findFixedCondition = ({ condition, then: result }: NodeOf<'condition'>): Finding[] => {
  const [asked] = isCallOf(condition, ['exists']) ? condition.arguments : [];
  if (isLiteral(asked) && isLiteral(result) && result.value === asked.value)
    return [
      warning(
        `"??" takes its right side only for what is not there, and ${JSON.stringify(asked.value)} always is${asked.value === null ? ': "?:" takes it for null, too' : ''}`,
      ),
    ];
  if (!isLiteral(condition)) return [];
  const text = textOf(condition);
  return text !== null && isDataPath(text)
    ? [
        warning(
          `"${text}" in quotes is a text; did you mean ${quote(text)}?`,
          correct(JSON.stringify(text), text),
        ),
      ]
    : [warning(`asks ${JSON.stringify(condition.value)}, which is always ${Boolean(condition.value)}`)];
};

/** Constants of other languages, which are names here. */
const WORDS: Readonly<Record<string, string>> = {
  undefined: 'whether a value is there is $exists(…)',
  NaN: 'nothing is NaN: a calculation with what is no number fails',
  ...Object.fromEntries(
    ['None', 'nil', 'NULL', 'Null'].map((word) => [
      word,
      'it is null, and whether a value is there $exists(…)',
    ]),
  ),
  ...Object.fromEntries(['True', 'TRUE'].map((word) => [word, 'it is written true'])),
  ...Object.fromEntries(['False', 'FALSE'].map((word) => [word, 'it is written false'])),
};

const findWords = ({ steps: [first, ...others] }: NodeOf<'path'>, { scope }: Habits): Finding[] => {
  const word = first.type === 'name' && others.length === 0 ? String(first.value) : '';
  const hint = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  const isField = word !== 'undefined' && word !== 'NaN' && fieldSchema(scope.input, word) !== null;
  return hint === undefined || isField ? [] : [{ message: `${word} is the name of a field here: ${hint}` }];
};

const ORDERS = ['<', '<=', '>', '>='];

/** `1 < body.a < 5`, which compares true or false with a number. */
const findChained = ({ value, lhs, rhs }: NodeOf<'binary'>): Finding[] => {
  const isOrder = (node: Node) => node.type === 'binary' && ORDERS.includes(node.value);
  return ORDERS.includes(value) && (isOrder(lhs) || isOrder(rhs))
    ? [
        {
          message: `compares the result of a comparison, true or false, with ${quote(value)}, which fails: join two comparisons with "and"`,
        },
      ]
    : [];
};

/** Numbers that are seconds of a minute, an hour or a day. */
const secondsOf = (node: Node): number | null => {
  if (node.type === 'number') return Number(node.value);
  if (node.type !== 'binary' || node.value !== '*') return null;
  const [left, right] = [secondsOf(node.lhs), secondsOf(node.rhs)];
  return left === null || right === null ? null : left * right;
};

const isMillis = (node: Node): boolean => isCallOf(node, ['millis', 'toMillis']);

/** Seconds that are added to a time in milliseconds. */
const findSeconds = ({ value, lhs, rhs }: NodeOf<'binary'>): Finding[] => {
  if (value !== '+' && value !== '-') return [];
  const added = isMillis(lhs) ? secondsOf(rhs) : isMillis(rhs) ? secondsOf(lhs) : null;
  if (added === null || added < 60 || added % 60 !== 0 || added % 1000 === 0 || added > 10_000_000) return [];
  return [
    warning(
      `adds ${added / 1000} seconds, since times are in milliseconds: write ${added * 1000} for ${added} seconds`,
    ),
  ];
};

const isText = (type: Type | undefined): boolean =>
  type !== undefined && !isUnknown(type) && branchesOf(type).every((branch) => branch.type === 'string');

/** `"@" in body.email`: `in` looks for an item, not for a part. */
const findInText = ({ value, lhs, rhs }: NodeOf<'binary'>, { typeOf }: Habits): Finding[] => {
  const [part, path] = [textOf(lhs), toText(rhs)];
  if (value !== 'in' || part === null || path === null || !isText(typeOf.get(rhs))) return [];
  const meant = `$contains(${path}, ${JSON.stringify(part)})`;
  return [
    warning(`"in" compares with the whole text ${path}, not with parts of it; did you mean ${quote(meant)}?`),
  ];
};

const BRACES = /\{\{.{0,500}\}\}/;

const findBraces = (node: Node): Finding[] =>
  BRACES.test(textOf(node) ?? '')
    ? [warning(`{{ }} within an expression is text: join with "&", or write the expression without them`)]
    : [];

const SUMS = ['sum', 'max', 'min', 'average', 'map', 'sort', 'join', 'append'];

/** Names of lists and texts, of which the length is meant, not a field of that name. */
const LISTS = /(?:[^s]s|list|array|data|rows)$/i;
const TEXTS = /(?:name|text|title|email|subject|message|content|password|description|comment|string)$/i;
const MEASURED =
  /(?:dimensions?|measure(?:d|ments?|s)?|sizes?|specs?|props|attributes|properties|address|details|params)$/i;

/** `body.items.length` */
const findLength = ({ steps }: NodeOf<'path'>, { typeOf, scope }: Habits): Finding[] => {
  const last = steps.at(-1);
  const owner = steps.at(-2);
  if (last?.type !== 'name' || last.value !== 'length' || owner?.type !== 'name') return [];
  const own = steps.length === 2 ? fieldSchema(scope.input, owner.value) : typeOf.get(owner);
  const isKnown = own !== null && own !== undefined && !isUnknown(own);
  const name = String(owner.value);
  const isMeant = isKnown ? !declares(own) : !MEASURED.test(name) && (LISTS.test(name) || TEXTS.test(name));
  if (!isMeant) return [];
  const before = toText({ type: 'path', steps: steps.slice(0, -1) } as unknown as Node) ?? '…';
  const [count, length] = [`$count(${before})`, `$length(${before})`];
  const meant = (isKnown ? mayBe(own, 'array') : LISTS.test(name)) ? count : length;
  return [
    warning(
      `reads a field of the name "length": the number of items is ${count}, of characters ${length}`,
      before === '…' ? {} : correct(`${before}.length`, meant),
    ),
  ];
};

const declares = (type: Type): boolean =>
  branchesOf(type).some(({ properties }) => Object.hasOwn((properties ?? {}) as object, 'length'));

const INDEXES = /^(?:index|idx|i|itemIndex)$/;

/** `list[index]` outside of a body, and `list[*]` of JSONPath. */
const findFilters = ({ steps }: NodeOf<'path'>, { scope }: Habits): Finding[] =>
  steps.flatMap((step, at): Finding[] =>
    (step.stages ?? []).flatMap((stage) => {
      if (stage.type !== 'filter' || step.type !== 'name') return [];
      const list = toText({
        type: 'path',
        steps: [...steps.slice(0, at), { ...step, stages: undefined }],
      } as unknown as Node);
      const [only, ...more] = stage.expr.type === 'path' ? stage.expr.steps : [stage.expr];
      if (only?.type === 'wildcard' && more.length === 0)
        return [
          warning(
            `[*] keeps the items that have a value which counts as true; of all items, it is ${list ?? '…'}.name`,
            list === null ? {} : correct(`${list}[*]`, list),
          ),
        ];
      if (only?.type !== 'name' || more.length > 0 || !INDEXES.test(String(only.value))) return [];
      if (
        !isUnknown(scope.input) &&
        fieldSchema(scope.input, String(only.value)) !== null &&
        isDeclared(scope.input, String(only.value))
      )
        return []; // reported as a name of the input
      return [
        warning(
          `[${only.value}] keeps the items of ${list ?? 'the list'} that have a field of this name; one item is [0], or [$nodes.ID.index] in the body of the forEach ID`,
        ),
      ];
    }),
  );

const isDeclared = (type: Type, name: string): boolean =>
  branchesOf(type).every(({ properties }) => Object.hasOwn((properties ?? {}) as object, name));

const findInCall = (node: CallNode, habits: Habits): Finding[] => {
  if (node.procedure.type !== 'variable') return [];
  const name = node.procedure.value;
  const native = habits.natives.get(name);
  if (native === undefined) return [];
  return [
    ...findWrongArguments(node, name, describeSignature(native.signature).parameters),
    ...findPatternText(node, name),
    ...findSwapped(node, name),
    ...findSecondsAsTime(node, name),
    ...findHalfDay(node, name),
    ...(name === 'boolean' && isText(habits.typeOf.get(node.arguments[0] as Node))
      ? [
          warning(
            '$boolean() of a text is true unless it is empty, also for "false": compare it, as in … = "true"',
          ),
        ]
      : []),
  ];
};

/** Too many arguments, and texts in place of functions, with which every call fails. */
const findWrongArguments = (
  { arguments: given }: CallNode,
  name: string,
  parameters: ReturnType<typeof describeSignature>['parameters'],
): Finding[] => {
  const isOpen = parameters.some(({ times }) => times === '+');
  if (given.length > parameters.length && !isOpen) {
    const hint = LISTED.includes(name) ? `, as a list: $${name}([…, …])` : '';
    return [{ message: `$${name}() takes at most ${countOf(parameters.length)}${hint}` }];
  }
  return given.flatMap((argument, at): Finding[] =>
    parameters[at]?.types === 'f' && isLiteral(argument)
      ? [
          {
            message: `$${name}() takes a function here, not ${JSON.stringify(argument.value)}: ${FUNCTIONS[name] ?? 'function($x) { $x.a }'}`,
          },
        ]
      : [],
  );
};

const countOf = (count: number): string => (count === 1 ? 'one value' : `${count} values`);

/** Functions of one list, which other languages give several values. */
const LISTED = ['sum', 'max', 'min', 'average', 'merge', 'count', 'distinct'];
const FUNCTIONS: Readonly<Record<string, string>> = {
  sort: 'function($a, $b) { $a.price > $b.price }, or list^(price)',
  filter: 'function($x) { $x.paid }, or list[paid]',
  match: 'a pattern such as /[0-9]+/',
};

/** A text that only makes sense as a pattern. */
const PATTERN =
  /\\[dswDSWb](?:[+*?{})\]$\\]|$)|^\^.|[^\\]\.[*+]|\[(?:\^|[a-z0-9]-)[^\]]{1,50}\]|^\/.{1,200}\/[a-z]{0,3}$/;

const findPatternText = ({ arguments: [, second] }: CallNode, name: string): Finding[] => {
  const text = ['contains', 'replace', 'split'].includes(name) ? textOf(second) : null;
  if (text === null || !PATTERN.test(text)) return [];
  const pattern = /^\/(.*)\/[a-z]{0,3}$/.exec(text)?.[1] ?? text;
  return [
    warning(
      `$${name}() looks for the text ${JSON.stringify(text)} as it is: a pattern is written without quotes, /${pattern}/`,
    ),
  ];
};

/** Functions whose first argument is the data, with the longest literal that is probably the second one. */
const SWAPPED: Readonly<Record<string, number>> = { split: 3, join: 3, contains: 2, lookup: 100, replace: 2 };

const findSwapped = ({ arguments: [first, second] }: CallNode, name: string): Finding[] => {
  const [text, path] = [textOf(first), toText(second)];
  const longest = SWAPPED[name];
  if (text === null || path === null || longest === undefined || text.length > longest) return [];
  return [
    warning(
      `$${name}() takes the data first; did you mean ${quote(`$${name}(${path}, ${JSON.stringify(text)})`)}?`,
    ),
  ];
};

/** `$fromMillis($millis() / 1000)` */
const findSecondsAsTime = ({ arguments: [time] }: CallNode, name: string): Finding[] =>
  name === 'fromMillis' &&
  time?.type === 'binary' &&
  time.value === '/' &&
  time.rhs.type === 'number' &&
  Number(time.rhs.value) === 1_000
    ? [warning('$fromMillis() takes milliseconds: for a time in seconds, multiply by 1000')]
    : [];

/** A picture with the hour of half a day, and without am or pm. */
const findHalfDay = ({ arguments: given }: CallNode, name: string): Finding[] => {
  const at = name === 'now' ? 0 : ['fromMillis', 'toMillis'].includes(name) ? 1 : null;
  const picture = at === null ? null : textOf(given[at]);
  return picture !== null && /\[h/.test(picture) && !/\[P/.test(picture)
    ? [warning('has hours from 1 to 12 without am or pm: [H01] is the hour of the day, [P] am or pm')]
    : [];
};
