import type { JsonObject } from '@hookloom/plugin-kit';

const MEGABYTE = 1024 * 1024;

/** Pattern of a JSON Pointer, or of an expression over an answer. */
export const NEXT = /^(?:[/]|$)|\b(?:body|headers|status|url)\b|\$/;

const oneOf = <const Choices extends readonly string[]>(choices: Choices, initial: Choices[number]) =>
  ({ enum: choices, default: initial }) as const;

const integer = (minimum: number, maximum: number, initial: number) =>
  ({ type: 'integer', minimum, maximum, default: initial }) as const;

const text = { type: 'string', default: '' } as const;
const addresses = { type: 'object', default: {}, holes: 'fail' } as const;

/** Of each parameter the title, the description, what a run requires, and the pattern that a workflow file must match. */
const parameters = {
  method: ['Method', 'The HTTP method, such as POST', { type: 'string', default: 'GET' }],
  url: ['URL', 'http or https', { type: 'string' }, '^https?://'],
  headers: ['Headers', 'Names and values; for secrets, use a credential', addresses],
  query: ['Query', 'Added to the URL; a list repeats the name', addresses],
  body: ['Body', 'Depends on bodyType: any value, a string, a map or a file; null for none', {}],
  bodyType: [
    'Body type',
    'How the body is sent: form and multipart take a map, whose values may be files with multipart; file takes one file. Sets content-type unless a header does',
    oneOf(['json', 'text', 'form', 'multipart', 'file'], 'json'),
  ],
  responseType: [
    'Response type',
    'auto follows the content type: JSON is parsed, other text in its charset is a string, anything else { base64 }; json and text ignore the content type; file saves the answer as a file of the execution',
    oneOf(['auto', 'json', 'text', 'file'], 'auto'),
  ],
  maxRedirects: ['Redirects', 'How many redirects to follow', integer(0, 20, 5)],
  maxResponseBytes: [
    'Response size',
    'A larger answer, or page, fails the node; at most 6 MiB',
    integer(1, 6 * MEGABYTE, MEGABYTE),
  ],
  maxFileBytes: [
    'File size',
    'The same for responseType file, up to the limit of the service (MAX_FILE_BYTES); 1 GiB by default',
    integer(1, 50_000_000_000, 1024 * MEGABYTE),
  ],
  failOnStatus: [
    'Fail on status',
    'Fail the node if the status is not one of successStatus',
    { type: 'boolean', default: true },
  ],
  successStatus: [
    'Success status',
    'Statuses that are not failures: codes (404) and ranges ("200-299")',
    { type: 'array', default: ['200-399'] },
  ],
  retryStatus: [
    'Retry status',
    'Statuses that are retried, within settings.retry; any other failure is final. Retry-After of a 429 or 503 lengthens the delay, up to maxDelaySeconds',
    { type: 'array', default: [408, 425, 429, '500-599'] },
  ],
  idempotencyKey: [
    'Idempotency key',
    'Send an Idempotency-Key header, the same in every attempt, so that the receiver recognises a repeated request. Each page has its own key',
    { type: 'boolean', default: false },
  ],
  pagination: [
    'Pagination',
    'How to find the next page: link by a URL, cursor by a value in next, page by number. The output is { items, pages, pagesEnd }',
    oneOf(['none', 'link', 'cursor', 'page'], 'none'),
  ],
  items: [
    'Items',
    'JSON pointer to the list in the body of a page, such as /data; empty if the body is the list',
    text,
    '^(?:/|$)',
  ],
  next: [
    'Next',
    'URL or cursor of the next page: a JSON pointer in the body, or an expression over the answer: body.has_more ? body.data[-1].id. The last page has none, null, false or "". By default the header Link with rel="next"',
    text,
    NEXT.source,
  ],
  pageParameter: [
    'Page parameter',
    'Query parameter for the cursor or page number; if empty, cursor or page',
    { ...text, holes: 'fail' },
  ],
  firstPage: ['First page', 'Number of the first page', integer(0, 1_000_000, 1)],
  pageStep: [
    'Page step',
    'Added for each page: the page size if the API counts items (offset)',
    integer(1, 100_000, 1),
  ],
  maxPages: ['Pages', 'How many pages to fetch; at most 1,000', integer(1, 1_000, 100)],
  maxItems: ['Total items', 'How many items to fetch; at most 100,000', integer(1, 100_000, 10_000)],
} as const;

type Table = typeof parameters;
type Row = readonly [title: string, description: string, rule: JsonObject, pattern?: string];

const rows: readonly (readonly [string, Row])[] = Object.entries(parameters);

/** What a run requires of its parameters: their limits, too, of which {@link schema} says nothing. */
export const rules = Object.fromEntries(rows.map(([name, [, , rule]]) => [name, rule])) as {
  readonly [Name in keyof Table]: Table[Name][2];
};

const toProperty = ([title, description, rule, pattern]: Row): JsonObject => ({
  title,
  description,
  ...(rule.enum && { type: 'string', enum: rule.enum }),
  ...(rule.type && { type: rule.type === 'integer' ? 'number' : rule.type }),
  ...(pattern && { pattern }),
  ...(rule.holes && { holes: rule.holes }),
  ...(rule.default !== undefined && { default: rule.default }),
});

/** The parameters as workflow files may have them. */
export const schema = {
  type: 'object',
  properties: Object.fromEntries(rows.map(([name, row]) => [name, toProperty(row)])),
  required: ['url'],
  additionalProperties: false,
} satisfies JsonObject;
