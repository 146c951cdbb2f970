import type { AWorkflow } from './a-webhook-service.ts';

type Webhook = NonNullable<AWorkflow['webhook']>;

/** A request crafted to take long, and the features that it targets. */
export interface HostileInput {
  readonly name: string;
  readonly contentType?: string;
  readonly body?: string;
  /** Headers in addition to those of a signed request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly path?: string;
  /** Trigger parameters that override those common to all inputs. */
  readonly webhook?: Partial<Webhook>;
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** Lambda accepts 6 MB, part of which the event around the body uses. */
const LARGEST = 5_900_000;

const fill = (unit: string, bytes = LARGEST): string =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const list = (items: readonly unknown[]): string => JSON.stringify(items);
const map = (length: number, value: unknown = 1): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length }, (_, at) => [`key-${at}`, value])));
/** A list of objects, each with one unique key. */
const maps = (length: number, keys = length): string =>
  list(Array.from({ length }, (_, at) => ({ [`k${at % keys}`]: 1 })));
/** Objects with six members, few with the same names in the same order. */
const shapes = (length: number): string =>
  list(
    Array.from({ length }, (_, at) => {
      const names = Array.from('abcdefghij');
      const taken = [10, 9, 8, 7, 6, 5].map((left, place) => (at * (place + 7) * 7_919) % left);
      return Object.fromEntries(taken.map((index) => [names.splice(index, 1)[0], 1]));
    }),
  );
const text = (unit: string): string => JSON.stringify(fill(unit, LARGEST - 10));

/** One character or short unit repeated through the whole body. */
const repeated: readonly HostileInput[] = [
  'a',
  ' ',
  '0',
  '"',
  '\\',
  '[',
  '{',
  '&',
  '=',
  '%',
  '+',
  '\u0000',
  'é',
  '😀',
].flatMap((unit) =>
  [json, form, 'text/plain', 'image/png', undefined].map((contentType) => ({
    name: `6 MB of ${JSON.stringify(unit)}, ${contentType ?? 'no content type'}`,
    ...(contentType === undefined ? {} : { contentType }),
    body: fill(unit),
  })),
);

const bodies: readonly HostileInput[] = [
  { name: '100 kB of nested brackets', contentType: json, body: '['.repeat(100_000) },
  {
    name: '100 kB of nested brackets, closed',
    contentType: json,
    body: '['.repeat(50_000) + ']'.repeat(50_000),
  },
  { name: '100 kB of nested maps', contentType: json, body: fill('{"a":', 100_000) },
  {
    name: 'a form of 10,000 fields',
    contentType: form,
    body: Array.from({ length: 10_000 }, (_, at) => `f${at}=${at}`).join('&'),
  },
  { name: 'a form of 10,000 fields of one name', contentType: form, body: fill('a=1&', 40_000) },
  { name: '6 MB of form fields', contentType: form, body: fill('a=1&') },
  ...['+', '%', '%20', '"'].map((unit) => ({
    name: `6 MB of ${unit} in a field`,
    contentType: form,
    body: `a=${fill(unit)}`,
  })),
  { name: '6 MB of numbers', contentType: json, body: `[${fill('0,')}0]` },
  { name: '950,000 numbers', contentType: json, body: `[${fill('0,', 1_900_000)}0]` },
  { name: '6 MB of empty maps', contentType: json, body: `[${fill('{},')}0]` },
  { name: '6 MB of short texts', contentType: json, body: `[${fill('"a",')}0]` },
  { name: '6 MB of one text', contentType: json, body: text('a') },
  { name: '6 MB of escapes', contentType: json, body: `"${fill('\\u0041')}"` },
  { name: '6 MB of escaped controls', contentType: json, body: `"${fill('\\u0001')}"` },
  {
    name: '6 MB of words that hint at a prototype',
    contentType: json,
    body: list(Array(380_000).fill('__proto__ 1e99')),
  },
  { name: '6 MB of digits', contentType: json, body: `[${fill('9')}]` },
  {
    name: '6 MB of integers that a number would round',
    contentType: json,
    body: `[${fill('9007199254740993,')}0]`,
  },
  { name: '45,000 keys', contentType: json, body: map(45_000) },
  { name: '90,000 keys', contentType: json, body: map(90_000) },
  { name: '45,000 maps with a key of their own', contentType: json, body: maps(45_000) },
  { name: '300,000 maps with a key of their own', contentType: json, body: maps(300_000) },
  { name: '45,000 keys, in 400,000 maps', contentType: json, body: maps(400_000, 45_000) },
  { name: '1,000 keys, in 400,000 maps', contentType: json, body: maps(400_000, 1_000) },
  { name: '100,000 maps with 6 of 10 keys in any order', contentType: json, body: shapes(100_000) },
  { name: '8,000 maps with 6 of 10 keys in any order', contentType: json, body: shapes(8_000) },
  { name: '6 MB of maps with the same keys', contentType: json, body: `[${fill('{"a":1,"b":2},')}0]` },
  { name: '400,000 keys', contentType: json, body: map(400_000) },
  { name: '100,000 keys of credentials', contentType: json, body: map(100_000, { password: 'hunter2' }) },
];

const hard = 'b'.repeat(20);

/** Bodies that are slow to check against a schema. */
const schemas: readonly HostileInput[] = (
  [
    ['names by a pattern, 90,000 keys', { propertyNames: { pattern: '^[a-z0-9-]+$' } }, map(90_000)],
    ['names by a pattern, 40,000 keys', { propertyNames: { pattern: '^[a-z0-9-]+$' } }, map(40_000)],
    ['names by a pattern that none has', { propertyNames: { pattern: '^[A-Z]+$' } }, map(40_000)],
    ['additional properties', { additionalProperties: { type: 'number' } }, map(40_000)],
    [
      'no additional properties, in 20 alternatives',
      { anyOf: Array(20).fill({ additionalProperties: false }) },
      map(9_000),
    ],
    [
      'unevaluated properties',
      { anyOf: [{ additionalProperties: true }], unevaluatedProperties: false },
      map(40_000),
    ],
    ['a pattern over 6 MB', { pattern: '^[a-z ]+$' }, text('a')],
    ['a pattern that backtracks elsewhere', { pattern: '^(a+)+$' }, text('a')],
    ['a pattern with many states', { pattern: `(a|b)*a(a|b){200}${hard}` }, text('abbabaaababbaab')],
    [
      'five patterns over 6 MB',
      { allOf: ['a$', 'b$', '^.*c', 'd', 'e+f'].map((pattern) => ({ pattern })) },
      text('a'),
    ],
    [
      'alternatives for each item',
      { items: { anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }] } },
      list(Array(90_000).fill(1)),
    ],
    [
      'unique items, long texts',
      { uniqueItems: true },
      list(Array.from({ length: 1_000 }, (_, at) => `${'x'.repeat(5_000)}${at}`)),
    ],
    [
      'unique items, texts',
      { uniqueItems: true },
      list(Array.from({ length: 1_000 }, (_, at) => `${'x'.repeat(900)}${at}`)),
    ],
    [
      'unique items, lists',
      { uniqueItems: true },
      list(Array.from({ length: 100 }, (_, at) => [...Array(900).fill(1), at])),
    ],
    ['a length over 6 MB', { maxLength: 100 }, text('😀')],
    [
      'formats over 6 MB',
      { allOf: ['email', 'uri', 'date-time', 'ipv6', 'hostname'].map((format) => ({ format })) },
      text('a.'),
    ],
    ['one key of 6 MB', { additionalProperties: { type: 'number' } }, `{${text('é')}:1}`],
  ] as const
).map(([name, schema, body]) => ({
  name: `schema: ${name}`,
  contentType: json,
  body,
  webhook: { schema: schema as never },
}));

/** Without a schema, so that bodies with more values than it allows reach the expressions. */
const unchecked = { schema: null } as const;

const expressions: readonly HostileInput[] = [
  {
    name: 'onlyIf with all time zones',
    contentType: json,
    body: list(Intl.supportedValuesOf('timeZone')),
    webhook: { onlyIf: '$count(body.$fromMillis(0, "[H]", $)) > 1', ...unchecked },
  },
  ...[
    '$count(body.*) > 1',
    '$count(**) > 1',
    '$contains($string(body), /(a|b)*c/)',
    '$count($split($string(body), "a")) > 1',
    '$count($distinct(body.*)) > 1',
    '$count($sort(body.*)) > 1',
    '$count($keys(body)) > 1',
    '$count(body.*[$ > 1 and $$.body]) > 1',
    '$uppercase($string(body)) != ""',
  ].flatMap((onlyIf) => [
    {
      name: `onlyIf ${onlyIf}, 6 MB of one text`,
      contentType: json,
      body: text('a'),
      webhook: { onlyIf, ...unchecked },
    },
    {
      name: `onlyIf ${onlyIf}, 30,000 keys`,
      contentType: json,
      body: map(30_000),
      webhook: { onlyIf, ...unchecked },
    },
    {
      name: `onlyIf ${onlyIf}, 950,000 numbers`,
      contentType: json,
      body: `[${fill('7,', 1_900_000)}0]`,
      webhook: { onlyIf, ...unchecked },
    },
  ]),
  {
    name: 'deduplication: 6 MB of one text',
    contentType: json,
    body: `{"id":${text('a')}}`,
    webhook: { deduplication: 'body.id' },
  },
  {
    name: 'deduplication: a text made of 30,000 keys',
    contentType: json,
    body: map(30_000, 'a'),
    webhook: { deduplication: '$join(body.*)' },
  },
  {
    name: 'deduplication: a text made of 950,000 numbers',
    contentType: json,
    body: `[${fill('7,', 1_900_000)}0]`,
    webhook: { deduplication: '$string(body)', ...unchecked },
  },
  {
    name: 'answer: 6 MB of one text',
    contentType: json,
    body: text('a'),
    webhook: { answer: { body: 'got {{ body }}' } },
  },
  {
    name: 'answer: 30,000 keys',
    contentType: json,
    body: map(30_000),
    webhook: { answer: { body: { all: '{{ body }}' } } },
  },
  {
    name: 'answer: a header of 6 MB',
    contentType: json,
    body: text('a'),
    webhook: { answer: { headers: { 'x-a': '{{ body }}' } } },
  },
  {
    name: 'the caller waits for 6 MB of one text',
    contentType: json,
    body: text('a'),
    webhook: { responseMode: 'lastNode' },
  },
  {
    name: 'the caller waits for 950,000 numbers',
    contentType: json,
    body: `[${fill('0,', 1_900_000)}0]`,
    webhook: { responseMode: 'lastNode', ...unchecked },
  },
];

const edges: readonly HostileInput[] = [
  { name: 'a query of 1 MB', query: fill('a=1&', 1_000_000) },
  { name: 'a query of 1 MB of escapes', query: fill('%f0%9f%98%80', 1_000_000) },
  {
    name: '10,000 headers',
    headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`x-${at}`, 'a'])),
  },
  { name: 'headers of 1 MB', headers: { cookie: fill('a=1; ', 500_000), prefer: fill('wait=1, ', 500_000) } },
  { name: 'an Origin of 1 MB', headers: { origin: `https://${fill('a.', 1_000_000)}example` } },
  { name: 'other signatures in 1 MB', headers: { 'x-hub-signature-256': fill('sha256=00,', 1_000_000) } },
  { name: 'a path of 1 MB, one segment', path: fill('a', 1_000_000) },
  { name: 'a path of 1 MB, 500,000 segments', path: `${fill('a/', 1_000_000)}a` },
];

/** Every kind of input that a webhook with all features must answer quickly. */
export const hostileInputs: readonly HostileInput[] = [
  ...bodies,
  ...repeated,
  ...schemas,
  ...expressions,
  ...edges,
];
