import type { LegacyProperty } from '@hookloom/plugin-kit';

/** Pattern of a JSON Pointer. */
const POINTER = '^(?:/|$)';

/** Pattern of a JSON Pointer, or of an expression over an answer. */
export const NEXT = /^(?:[/]|$)|\b(?:body|headers|status|url)\b|\$/;

export const properties: readonly LegacyProperty[] = [
  {
    name: 'method',
    displayName: 'Method',
    type: 'string',
    default: 'GET',
    description: 'The HTTP method, such as POST',
  },
  {
    name: 'url',
    displayName: 'URL',
    type: 'string',
    pattern: '^https?://',
    required: true,
    description: 'http or https',
  },
  {
    name: 'headers',
    displayName: 'Headers',
    type: 'object',
    default: {},
    description: 'Names and values; for secrets, use a credential',
  },
  {
    name: 'query',
    displayName: 'Query',
    type: 'object',
    default: {},
    description: 'Added to the URL; a list repeats the name',
  },
  {
    name: 'body',
    displayName: 'Body',
    type: 'any',
    description: 'Depends on bodyType: any value, a string, a map or a file; null for none',
  },
  {
    name: 'bodyType',
    displayName: 'Body type',
    type: 'options',
    options: ['json', 'text', 'form', 'multipart', 'file'],
    default: 'json',
    description:
      'How the body is sent: form and multipart take a map, whose values may be files with multipart; file takes one file. Sets content-type unless a header does',
  },
  {
    name: 'responseType',
    displayName: 'Response type',
    type: 'options',
    options: ['auto', 'json', 'text', 'file'],
    default: 'auto',
    description:
      'auto follows the content type: JSON is parsed, other text in its charset is a string, anything else { base64 }; json and text ignore the content type; file saves the answer as a file of the execution',
  },
  {
    name: 'maxRedirects',
    displayName: 'Redirects',
    type: 'number',
    default: 5,
    description: 'How many redirects to follow',
  },
  {
    name: 'maxResponseBytes',
    displayName: 'Response size',
    type: 'number',
    default: 1_048_576,
    description: 'A larger answer, or page, fails the node; at most 6 MiB',
  },
  {
    name: 'maxFileBytes',
    displayName: 'File size',
    type: 'number',
    default: 1_073_741_824,
    description:
      'The same for responseType file, up to the limit of the service (MAX_FILE_BYTES); 1 GiB by default',
  },
  {
    name: 'failOnStatus',
    displayName: 'Fail on status',
    type: 'boolean',
    default: true,
    description: 'Fail the node if the status is not one of successStatus',
  },
  {
    name: 'successStatus',
    displayName: 'Success status',
    type: 'array',
    default: ['200-399'],
    description: 'Statuses that are not failures: codes (404) and ranges ("200-299")',
  },
  {
    name: 'retryStatus',
    displayName: 'Retry status',
    type: 'array',
    default: [408, 425, 429, '500-599'],
    description:
      'Statuses that are retried, within settings.retry; any other failure is final. Retry-After of a 429 or 503 lengthens the delay, up to maxDelaySeconds',
  },
  {
    name: 'idempotencyKey',
    displayName: 'Idempotency key',
    type: 'boolean',
    default: false,
    description:
      'Send an Idempotency-Key header, the same in every attempt, so that the receiver recognises a repeated request. Each page has its own key',
  },
  {
    name: 'pagination',
    displayName: 'Pagination',
    type: 'options',
    options: ['none', 'link', 'cursor', 'page'],
    default: 'none',
    description:
      'How to find the next page: link by a URL, cursor by a value in next, page by number. The output is { items, pages, pagesEnd }',
  },
  {
    name: 'items',
    displayName: 'Items',
    type: 'string',
    pattern: POINTER,
    default: '',
    description:
      'JSON pointer to the list in the body of a page, such as /data; empty if the body is the list',
  },
  {
    name: 'next',
    displayName: 'Next',
    type: 'string',
    pattern: NEXT.source,
    default: '',
    description:
      'URL or cursor of the next page: a JSON pointer in the body, or an expression over the answer: body.has_more ? body.data[-1].id. The last page has none, null, false or "". By default the header Link with rel="next"',
  },
  {
    name: 'pageParameter',
    displayName: 'Page parameter',
    type: 'string',
    default: '',
    description: 'Query parameter for the cursor or page number; if empty, cursor or page',
  },
  {
    name: 'firstPage',
    displayName: 'First page',
    type: 'number',
    default: 1,
    description: 'Number of the first page',
  },
  {
    name: 'pageStep',
    displayName: 'Page step',
    type: 'number',
    default: 1,
    description: 'Added for each page: the page size if the API counts items (offset)',
  },
  {
    name: 'maxPages',
    displayName: 'Pages',
    type: 'number',
    default: 100,
    description: 'How many pages to fetch; at most 1,000',
  },
  {
    name: 'maxItems',
    displayName: 'Total items',
    type: 'number',
    default: 10_000,
    description: 'How many items to fetch; at most 100,000',
  },
];
