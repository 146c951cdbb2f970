import {
  addQuery,
  createPollTrigger,
  definePlugin,
  type JsonObject,
  type JsonValue,
  NodeError,
  parsePointer,
  readBody,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { toSchema } from '@hookloom/plugin-kit/host';
import { scheduleTrigger } from '../lib/triggers/types/schedule-trigger.ts';
import { requestCredentialTypes } from './credential-types/request-types.ts';
import { findParameterProblems } from './http-request/check-parameters.ts';
import { fetchGivenPages } from './http-request/pages.ts';
import { schema } from './http-request/properties.ts';
import { createSend, readRules } from './http-request/send.ts';
import { mailParameters, mailSchema, readMailQuery, theMail } from './imap/mail-query.ts';
import { readFeedKeys } from './rss/item-keys.ts';
import { feedItem, rss } from './rss/rss.plugin.ts';

// Here, since it joins a trigger of lib/ with nodes of nodes/, which know nothing of each other.

/** What a poll hands over at most. */
const MAX_ITEMS = 1_000;

/** The service knows what a schedule may be before it is registered. */
const { checkParameters = () => [] } = scheduleTrigger;

const propertiesOf = ({ properties }: JsonObject): JsonObject => properties as JsonObject;

/** Without those that make no sense for a list: a file, an answer that failed, and a limit that would lose items. */
const {
  responseType: _responseType,
  maxFileBytes: _maxFileBytes,
  failOnStatus: _failOnStatus,
  maxItems: _maxItems,
  ...requestParameters
} = schema.properties;

/** The example of a trigger: what it delivers for one item. */
const toExample = (parameters: JsonObject, key: string, item: JsonValue) => {
  const input = { item, key, polledAt: '2026-01-01T00:00:00.000Z' };
  return { parameters, input, output: { triggeredAt: input.polledAt, triggerType: 'poll', ...input } };
};

/** Fetches the items with the node httpRequest. */
const pollTrigger = createPollTrigger({
  id: 'pollTrigger',
  name: 'Poll',
  description:
    'Calls a URL on a schedule, and starts the workflow once for each item of the answer that was not there before, or once for all new ones',
  checkParameters: async (given) => [
    ...(await checkParameters(given)),
    ...(await findParameterProblems(given)),
  ],
  parameters: {
    type: 'object',
    properties: {
      ...requestParameters,
      items: {
        ...requestParameters.items,
        description:
          'JSON pointer to the list of items in the answer, or in each page, such as /data; empty if the body is the list. At most 1,000 items',
      },
      itemKey: {
        type: 'string',
        maxLength: 200,
        default: '',
        description:
          'The field that identifies an item, such as id; by default the item itself, which must be a string or number',
      },
    },
    required: ['url'],
  },
  credentials: { types: requestCredentialTypes },
  fetchItems: async ({ parameters, context }) => {
    const { itemKey, ...request } = parameters as JsonObject;
    const given = readRules({ ...request, maxItems: MAX_ITEMS });
    const url = addQuery(given.url, given.query);
    const send = createSend(given, context);
    if (given.pagination === 'none') {
      const body = readBody(await send(url, null), 'auto');
      return { items: readList(body, given.items), itemKey: String(itemKey) };
    }
    const { items, pagesEnd } = await fetchGivenPages(url, given, send, context.services);
    if (pagesEnd === 'maxItems')
      throw tooMany(`The pages have more than ${MAX_ITEMS} items: fetch the newest first, with maxPages`);
    if (pagesEnd === 'otherOrigin')
      throw new NodeError('The next page is on another origin, so that its items would be missing', {
        isRetryable: false,
      });
    return { items, itemKey: String(itemKey) };
  },
  example: toExample(
    {
      rate: '5 minutes',
      url: 'https://api.example.com/orders?sort=-created',
      items: '/data',
      itemKey: 'id',
    },
    'A-1',
    { id: 'A-1', total: 120 },
  ),
});

/** Fetches the items with the node rss. */
const rssTrigger = createPollTrigger({
  id: 'rssTrigger',
  name: 'RSS feed',
  description:
    'Reads a feed (RSS 2.0, RSS 1.0 or Atom) on a schedule, and starts the workflow once for each item that is new, or once for all new ones. The guid of an item identifies it, or else its link, and its title and date where these are missing or shared',
  checkParameters,
  parameters: {
    type: 'object',
    properties: { url: { ...(propertiesOf(rss.schema).url as JsonObject) } },
    required: ['url'],
  },
  credentials: { types: rss.credentialTypes ?? [] },
  fetchItems: async ({ parameters, position, context }) => {
    const { url = null } = parameters as JsonObject;
    const node = { id: rss.id, type: rss.id, parameters: { url, maxItems: MAX_ITEMS } };
    const { items, hasMore } = (await rss.execute(node, {}, context)) as JsonObject;
    if (hasMore === true) throw tooMany(`The feed has more than ${MAX_ITEMS} items`);
    const list = items as JsonObject[];
    return { items: list, ...readFeedKeys(list, position) };
  },
  item: feedItem,
  example: toExample({ rate: '15 minutes', url: 'https://blog.example.com/feed.xml' }, 'tag:1', {
    id: 'tag:1',
    title: 'Green tea',
    link: 'https://blog.example.com/1',
  }),
});

/** Fetches mails with code of its own, since where it continues is not in the mails. */
const imapTrigger = createPollTrigger({
  id: 'imapTrigger',
  name: 'Mail',
  description:
    'Reads a mailbox over IMAP on a schedule, and starts the workflow once for each mail that has arrived, or once for all new ones',
  checkParameters,
  parameters: { type: 'object', properties: propertiesOf(toSchema(mailParameters)) },
  credentials: { types: ['imap'], required: true },
  fetchItems: async ({ parameters, credential, context, ...poll }) => {
    const { fetchMails } = await import('./imap/fetch-mails.chunk.ts');
    return fetchMails(readMailQuery(parameters as JsonObject), poll, credential, context);
  },
  item: mailSchema,
  example: toExample(
    { rate: '5 minutes', mailbox: 'INBOX', subject: 'invoice' },
    'INBOX/1767225600/17',
    theMail,
  ),
});

const readList = (body: JsonValue, pointer: string): JsonValue => {
  const items = parsePointer(pointer)?.(body);
  if (!Array.isArray(items)) throw wrongParameter('items', 'the JSON pointer of a list in the answer', items);
  return items;
};

const tooMany = (message: string): NodeError =>
  new NodeError(message, { name: 'TooManyItems', isRetryable: false });

export default definePlugin({
  id: 'polls',
  name: 'Polls',
  version: '1.0.0',
  description: 'Starts workflows for what is new in an API, a feed or a mailbox',
  category: 'trigger',
  handles: [pollTrigger, rssTrigger, imapTrigger],
});
