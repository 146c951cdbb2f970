import {
  isPlainObject,
  isReservedHeader,
  isToken,
  type JsonObject,
  type JsonValue,
} from '@hookloom/plugin-kit';
import { didYouMean, quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import { type Problem, problemsWhere } from '../../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import type { DraftNode } from '../graph/draft-graph.ts';
import { proposeKey } from '../proposals/proposal.ts';
import { checkQuery } from './check-links.ts';

type Check = (parameters: JsonObject, place: string) => Problem[];

/** Finds requests, answers and events whose parameters contradict each other. */
export const checkRequests = ({ index, node, nodeType }: DraftNode): Problem[] =>
  nodeType === null ? [] : (checks[node.type]?.(node.parameters, `/nodes/${index}/parameters`) ?? []);

const warn = (path: string, message: string, proposed: Pick<Problem, 'proposal'> = {}): Problem => ({
  path,
  message,
  severity: 'warning',
  ...proposed,
});

const isGiven = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

/** Content types of bodies that are no JSON, and the type of body that sends them. */
const bodyTypes = [
  [/x-www-form-urlencoded/i, 'form'],
  [/multipart\/form-data/i, 'multipart'],
] as const;

const checkCall: Check = (parameters, place) => {
  const { method = 'GET', body, bodyType = 'json', headers } = parameters;
  const problems = [...checkQuery(parameters, place), ...checkBodyForm(parameters, place)];
  if (!isGiven(body)) return problems;
  if (typeof method === 'string' && /^(?:get|head)$/i.test(method))
    problems.push(
      warn(
        `${place}/body`,
        `is sent with ${method.toUpperCase()}, whose body most servers ignore or refuse: set the method, such as "POST", or move it to "query"`,
      ),
    );
  if (bodyType !== 'json') return problems;
  const [name, type] = findHeader(headers, 'content-type') ?? [];
  if (name !== undefined && typeof type === 'string' && !type.includes('{{') && !/json/i.test(type)) {
    const meant = bodyTypes.find(([pattern]) => pattern.test(type))?.[1] ?? 'text';
    problems.push(
      warn(
        `${place}/headers/${toPointerKey(name)}`,
        `is ${quote(type)}, but the body is sent as JSON: set "bodyType": ${quote(meant)}`,
      ),
    );
  } else if (typeof body === 'string' && /^\s*[{[]\s*["{}[\]]/.test(body) && !body.includes('{{'))
    problems.push(
      warn(
        `${place}/body`,
        'is text that is sent as one JSON string: write the JSON itself, or set "bodyType": "text"',
      ),
    );
  return problems;
};

/** A map is what a form has, and a text what other bodies have. */
const checkBodyForm = ({ body, bodyType }: JsonObject, place: string): Problem[] => {
  const path = `${place}/body`;
  const isText = typeof body === 'string' && !body.trim().startsWith('{{');
  if ((bodyType === 'form' || bodyType === 'multipart') && isText)
    return [{ path, message: `must be a map of fields with "bodyType": ${quote(bodyType)}` }];
  if (bodyType === 'text' && typeof body === 'object' && body !== null)
    return [
      { path, message: 'must be a text with "bodyType": "text"; JSON is sent with "json", the default' },
    ];
  return [];
};

const findHeader = (
  headers: JsonValue | undefined,
  wanted: string,
): readonly [string, JsonValue] | undefined =>
  isPlainObject(headers)
    ? Object.entries(headers as JsonObject).find(([name]) => name.toLowerCase() === wanted)
    : undefined;

/** RFC 9110 §15: answers that have no body. */
const WITHOUT_BODY: readonly unknown[] = [204, 205, 304];

const checkAnswerBody = ({ status, body }: JsonObject, place: string): Problem[] =>
  WITHOUT_BODY.includes(status) && isGiven(body) && body !== ''
    ? [warn(`${place}/body`, `never arrives: an answer with ${status} has no body`)]
    : [];

/** `{ "statusCode": 404, "body": … }`, as Lambda functions answer, and pages that are shown as text. */
const checkAnswerForm = ({ status, body, headers }: JsonObject, place: string): Problem[] => {
  const path = `${place}/body`;
  if (isPlainObject(body) && 'statusCode' in body && 'body' in body && status === undefined)
    return [
      warn(
        path,
        'is sent as it is, with "statusCode" and "body": write "status", "headers" and "body" beside it',
      ),
    ];
  const isPage = typeof body === 'string' && /^\s*<(?:!doctype html|html|body|head|h1|div|p)\b/i.test(body);
  return isPage && findHeader(headers, 'content-type') === undefined
    ? [
        warn(
          path,
          'is HTML, which is sent as plain text: set the header "content-type": "text/html; charset=utf-8"',
        ),
      ]
    : [];
};

/** What is probably a host without its scheme. */
const HOST =
  /^(?:www\.[\w.-]{1,200}|[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,5}\.(?:com|org|net|io|dev|app|example|eu|de|uk|co|ai))(?:\/|$)/i;

const checkRedirect = ({ redirect, status }: JsonObject, place: string): Problem[] => {
  if (typeof redirect !== 'string') return [];
  const path = `${place}/redirect`;
  if (typeof status === 'number' && ![200, 301, 302, 303, 307, 308].includes(status))
    return [{ path: `${place}/status`, message: 'must be one of 301, 302, 303, 307, 308 with a redirect' }];
  return HOST.test(redirect)
    ? [warn(path, `is a path of this service: for another host, write ${quote(`https://${redirect}`)}`)]
    : [];
};

/** RFC 6265 §4.1.1, as the node has it. */
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const ATTRIBUTE = /^[\x20-\x3a\x3c-\x7e]*$/;

const checkCookies = ({ cookies }: JsonObject, place: string): Problem[] =>
  (Array.isArray(cookies) ? cookies : []).flatMap((cookie, at) =>
    isPlainObject(cookie) ? checkCookie(cookie as JsonObject, `${place}/cookies/${at}`) : [],
  );

const checkCookie = (cookie: JsonObject, place: string): Problem[] => {
  const textOf = (key: string): string => {
    const value = cookie[key];
    return typeof value === 'string' && !value.includes('{{') ? value : '';
  };
  const [name, domain, path] = [textOf('name'), textOf('domain'), textOf('path')];
  const isHost = name.startsWith('__Host-');
  return problemsWhere(
    [name !== '' && !isToken(name), `${place}/name`, 'is not a name that HTTP allows'],
    [
      !COOKIE_VALUE.test(textOf('value')),
      `${place}/value`,
      "has a character that a cookie can't contain: encode it",
    ],
    [!ATTRIBUTE.test(path), `${place}/path`, "has a character that a cookie can't contain"],
    [path !== '' && !path.startsWith('/'), `${place}/path`, 'must begin with "/": browsers ignore others'],
    [/[/:;\s]/.test(domain), `${place}/domain`, 'must be the name of a host, such as shop.example'],
    [
      cookie.sameSite === 'None' && cookie.secure === false,
      `${place}/secure`,
      'must be true with "sameSite": "None"',
    ],
    [
      /^__(?:Host|Secure)-/.test(name) && cookie.secure === false,
      `${place}/secure`,
      'must be true for such a name: browsers refuse the cookie',
    ],
    [isHost && domain !== '', `${place}/domain`, 'is not allowed with __Host-: browsers refuse the cookie'],
    [isHost && path !== '/', `${place}/name`, 'needs "path": "/" with __Host-: browsers refuse the cookie'],
  );
};

const checkResponse: Check = (parameters, place) => [
  ...checkAnswerBody(parameters, place),
  ...checkAnswerForm(parameters, place),
  ...checkRedirect(parameters, place),
  ...checkCookies(parameters, place),
  ...Object.keys(isPlainObject(parameters.headers) ? parameters.headers : {})
    .filter(isReservedHeader)
    .map((name) => ({
      path: `${place}/headers/${toPointerKey(name)}`,
      message: `${quote(name)} is set by the gateway and can't be chosen`,
    })),
];

const checkTrigger: Check = ({ answer }, place) =>
  isPlainObject(answer)
    ? [
        ...checkAnswerBody(answer as JsonObject, `${place}/answer`),
        ...checkAnswerForm(answer as JsonObject, `${place}/answer`),
      ]
    : [];

const HTML = /<(?:p|br|b|i|div|span|table|ul|ol|li|a|h[1-6]|html|body|strong|em|img)(?:\s[^<>]{0,500})?\/?>/i;

/** Headers that mails have from other parameters, or that the service writes. */
const MAIL_HEADERS: Readonly<Record<string, string>> = {
  ...{ from: '"from"', to: '"to"', cc: '"cc"', bcc: '"bcc"', subject: '"subject"', 'reply-to': '"replyTo"' },
  ...{ 'content-type': '"text" or "html"', sender: '"from"' },
};
const OWN_MAIL_HEADERS =
  /^(?:date|message-id|mime-version|content-.*|return-path|received|dkim-signature|x-ses-.*)$/i;

const checkMail: Check = (parameters, place) => [
  ...checkMailText(parameters, place),
  ...Object.keys(isPlainObject(parameters.headers) ? parameters.headers : {}).flatMap((name) => {
    const path = `${place}/headers/${toPointerKey(name)}`;
    const parameter = MAIL_HEADERS[name.toLowerCase()];
    if (parameter !== undefined)
      return [
        {
          path,
          message: `is set by the parameter ${parameter}: write it there, since a header of this name fails the node`,
        },
      ];
    return OWN_MAIL_HEADERS.test(name) ? [{ path, message: 'is set by the service and fails the node' }] : [];
  }),
  ...(typeof parameters.subject === 'string' && /[\r\n]/.test(parameters.subject)
    ? [{ path: `${place}/subject`, message: 'must be one line' }]
    : []),
];

const checkMailText: Check = ({ text, html }, place) =>
  typeof text === 'string' && !isGiven(html) && HTML.test(text)
    ? [
        warn(
          `${place}/text`,
          'has HTML, which is shown as it is written: write it into "html"',
          proposeKey(place, 'text', 'html'),
        ),
      ]
    : [];

/** The fields of an event: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html */
const EVENT_FIELDS = [
  'version',
  'id',
  'detail-type',
  'source',
  'account',
  'time',
  'region',
  'resources',
  'detail',
];

const checkPattern: Check = ({ pattern }, place) =>
  Object.keys(isPlainObject(pattern) ? pattern : {}).flatMap((key) => {
    if (EVENT_FIELDS.includes(key) || key === '$or' || key === 'replay-name') return [];
    const dashed = key.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, '-').toLowerCase();
    const near = EVENT_FIELDS.includes(dashed) ? dashed : findNearest(dashed, EVENT_FIELDS);
    const hint = near === null ? '; fields of its data belong in "detail"' : didYouMean(near);
    const message = `no event has ${quote(key)}, so the pattern matches nothing${hint}`;
    return [
      warn(`${place}/pattern/${toPointerKey(key)}`, message, proposeKey(`${place}/pattern`, key, near)),
    ];
  });

const LIST = /\b(not\s+)?in\s*\(\s*\$(\d{1,5})\s*\)/gi;
/** Texts in SQL, in which nothing is looked for. */
const SQL_TEXT = /'[^']*'?/g;
const WITH_NULL = /(?:=|<>|!=)\s*null\b/i;
const LIMIT = /\blimit\s+\d+\s*,\s*\d+/i;

/** `IN ($1)` compares with one value. */
const checkLists: Check = ({ query, statements, values }, place) => {
  const all = [
    [query, values, `${place}/query`] as const,
    ...(Array.isArray(statements) ? statements : []).map(
      (text, at) =>
        [text, Array.isArray(values) ? values[at] : undefined, `${place}/statements/${at}`] as const,
    ),
  ];
  return all.flatMap(([text, given, path]) =>
    [...(typeof text === 'string' ? text : '').matchAll(LIST)].flatMap(([, not, number]) => {
      const value = Array.isArray(given) ? given[Number(number) - 1] : undefined;
      const isList = Array.isArray(value) || (typeof value === 'string' && value.trim().startsWith('{{'));
      return isList
        ? [
            warn(
              path,
              `"${not === undefined ? '' : 'NOT '}IN ($${number})" compares with one value, not with the items of a list: write "${not === undefined ? '= ANY' : '<> ALL'}($${number})"`,
            ),
          ]
        : [];
    }),
  );
};

const checkSql: Check = (parameters, place) => {
  const { query, statements } = parameters;
  const texts = [
    [query, `${place}/query`] as const,
    ...(Array.isArray(statements) ? statements : []).map(
      (text, at) => [text, `${place}/statements/${at}`] as const,
    ),
  ];
  const found = texts.flatMap(([text, path]) => {
    const sql = typeof text === 'string' ? text.replaceAll(SQL_TEXT, "''") : '';
    // What an UPDATE sets may be NULL.
    const conditionsAt = sql.search(/\bwhere\b/i);
    if (conditionsAt !== -1 && WITH_NULL.test(sql.slice(conditionsAt)))
      return [warn(path, 'compares with NULL, which is never true: write IS NULL or IS NOT NULL')];
    return LIMIT.test(sql) ? [warn(path, 'has "LIMIT a, b", which is of MySQL: write LIMIT b OFFSET a')] : [];
  });
  return [...checkLists(parameters, place), ...found];
};

const checkGraphql: Check = ({ query }, place) =>
  typeof query === 'string' && /\{\{[^{}]{1,500}\}\}/.test(query)
    ? [
        warn(
          `${place}/query`,
          'is sent as it is, with its {{ }}: declare a variable, as in query ($id: ID!), and give its value in "variables"',
        ),
      ]
    : [];

/** Slack's own mark-up differs from Markdown. */
const checkSlack: Check = ({ text }, place) => {
  if (typeof text !== 'string') return [];
  const path = `${place}/text`;
  if (/\*\*[^*\n]{1,500}\*\*/.test(text))
    return [warn(path, 'has "**", which is shown as it is: bold is written *text*')];
  if (/\[[^\]\n]{1,300}\]\(https?:/.test(text))
    return [
      warn(
        path,
        'has a link of Markdown, which is shown as it is: it is written <https://shop.example|text>',
      ),
    ];
  return HTML.test(text) ? [warn(path, 'has HTML, which is shown as it is')] : [];
};

const checkCron: Check = ({ cron }, place) => {
  if (typeof cron !== 'string') return [];
  const fields = cron.trim().split(/\s+/);
  const [minute = '', hour = '', , , weekday = ''] = fields;
  const path = `${place}/cron`;
  if (minute === '*' && /^\d{1,2}$/.test(hour))
    return [
      warn(
        path,
        `starts in every minute from ${hour}:00 to ${hour}:59: for once a day, begin with the minute, such as 0`,
      ),
    ];
  if (fields.length === 6 && ['1-5', '6-7', '6,7'].includes(weekday))
    return [
      warn(
        path,
        `has the days ${weekday}, which in six fields are counted from Sunday, 1: write ${weekday === '1-5' ? 'MON-FRI' : 'SAT,SUN'}`,
      ),
    ];
  return [];
};

const checks: Readonly<Record<string, Check>> = {
  httpRequest: checkCall,
  respondToWebhook: checkResponse,
  [WEBHOOK_TRIGGER]: checkTrigger,
  email: checkMail,
  eventTrigger: checkPattern,
  postgres: checkSql,
  graphql: checkGraphql,
  slackMessage: checkSlack,
  slackWebhook: checkSlack,
  scheduleTrigger: checkCron,
};
