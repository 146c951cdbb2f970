import type { JsonObject } from '@hookloom/plugin-kit';

/** Pattern of a JSON Pointer. */
const POINTER = '^(?:/|$)';

/** Pattern of a JSON Pointer, or of an expression over an answer. */
export const NEXT = /^(?:[/]|$)|\b(?:body|headers|status|url)\b|\$/;

/** The parameters as workflow files may have them; `rules` in `send.ts` has the limits that a run holds. */
export const schema = {
  type: 'object',
  properties: {
    method: {
      title: 'Method',
      description: 'The HTTP method, such as POST',
      type: 'string',
      default: 'GET',
    },
    url: {
      title: 'URL',
      description: 'http or https',
      type: 'string',
      pattern: '^https?://',
    },
    headers: {
      title: 'Headers',
      description: 'Names and values; for secrets, use a credential',
      type: 'object',
      default: {},
    },
    query: {
      title: 'Query',
      description: 'Added to the URL; a list repeats the name',
      type: 'object',
      default: {},
    },
    body: {
      title: 'Body',
      description: 'Depends on bodyType: any value, a string, a map or a file; null for none',
    },
    bodyType: {
      title: 'Body type',
      description:
        'How the body is sent: form and multipart take a map, whose values may be files with multipart; file takes one file. Sets content-type unless a header does',
      type: 'string',
      enum: ['json', 'text', 'form', 'multipart', 'file'],
      default: 'json',
    },
    responseType: {
      title: 'Response type',
      description:
        'auto follows the content type: JSON is parsed, other text in its charset is a string, anything else { base64 }; json and text ignore the content type; file saves the answer as a file of the execution',
      type: 'string',
      enum: ['auto', 'json', 'text', 'file'],
      default: 'auto',
    },
    maxRedirects: {
      title: 'Redirects',
      description: 'How many redirects to follow',
      type: 'number',
      default: 5,
    },
    maxResponseBytes: {
      title: 'Response size',
      description: 'A larger answer, or page, fails the node; at most 6 MiB',
      type: 'number',
      default: 1_048_576,
    },
    maxFileBytes: {
      title: 'File size',
      description:
        'The same for responseType file, up to the limit of the service (MAX_FILE_BYTES); 1 GiB by default',
      type: 'number',
      default: 1_073_741_824,
    },
    failOnStatus: {
      title: 'Fail on status',
      description: 'Fail the node if the status is not one of successStatus',
      type: 'boolean',
      default: true,
    },
    successStatus: {
      title: 'Success status',
      description: 'Statuses that are not failures: codes (404) and ranges ("200-299")',
      type: 'array',
      default: ['200-399'],
    },
    retryStatus: {
      title: 'Retry status',
      description:
        'Statuses that are retried, within settings.retry; any other failure is final. Retry-After of a 429 or 503 lengthens the delay, up to maxDelaySeconds',
      type: 'array',
      default: [408, 425, 429, '500-599'],
    },
    idempotencyKey: {
      title: 'Idempotency key',
      description:
        'Send an Idempotency-Key header, the same in every attempt, so that the receiver recognises a repeated request. Each page has its own key',
      type: 'boolean',
      default: false,
    },
    pagination: {
      title: 'Pagination',
      description:
        'How to find the next page: link by a URL, cursor by a value in next, page by number. The output is { items, pages, pagesEnd }',
      type: 'string',
      enum: ['none', 'link', 'cursor', 'page'],
      default: 'none',
    },
    items: {
      title: 'Items',
      description:
        'JSON pointer to the list in the body of a page, such as /data; empty if the body is the list',
      type: 'string',
      pattern: POINTER,
      default: '',
    },
    next: {
      title: 'Next',
      description:
        'URL or cursor of the next page: a JSON pointer in the body, or an expression over the answer: body.has_more ? body.data[-1].id. The last page has none, null, false or "". By default the header Link with rel="next"',
      type: 'string',
      pattern: NEXT.source,
      default: '',
    },
    pageParameter: {
      title: 'Page parameter',
      description: 'Query parameter for the cursor or page number; if empty, cursor or page',
      type: 'string',
      default: '',
    },
    firstPage: {
      title: 'First page',
      description: 'Number of the first page',
      type: 'number',
      default: 1,
    },
    pageStep: {
      title: 'Page step',
      description: 'Added for each page: the page size if the API counts items (offset)',
      type: 'number',
      default: 1,
    },
    maxPages: {
      title: 'Pages',
      description: 'How many pages to fetch; at most 1,000',
      type: 'number',
      default: 100,
    },
    maxItems: {
      title: 'Total items',
      description: 'How many items to fetch; at most 100,000',
      type: 'number',
      default: 10_000,
    },
  },
  required: ['url'],
  additionalProperties: false,
} satisfies JsonObject;
