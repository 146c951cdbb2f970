import { isPlainObject, isReservedHeader, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { didYouMean, quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import type { DraftNode } from '../graph/draft-graph.ts';
import { proposeKey } from '../proposals/proposal.ts';

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

const checkCall: Check = ({ method = 'GET', body, bodyType = 'json', headers }, place) => {
  if (!isGiven(body)) return [];
  const problems: Problem[] = [];
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

const checkResponse: Check = (parameters, place) => [
  ...checkAnswerBody(parameters, place),
  ...Object.keys(isPlainObject(parameters.headers) ? parameters.headers : {})
    .filter(isReservedHeader)
    .map((name) => ({
      path: `${place}/headers/${toPointerKey(name)}`,
      message: `${quote(name)} is set by the gateway and can't be chosen`,
    })),
];

const checkTrigger: Check = ({ answer }, place) =>
  isPlainObject(answer) ? checkAnswerBody(answer as JsonObject, `${place}/answer`) : [];

const HTML = /<(?:p|br|b|i|div|span|table|ul|ol|li|a|h[1-6]|html|body|strong|em|img)(?:\s[^<>]{0,500})?\/?>/i;

const checkMail: Check = ({ text, html }, place) =>
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

const LIST = /\bin\s*\(\s*\$(\d{1,5})\s*\)/gi;

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
    [...(typeof text === 'string' ? text : '').matchAll(LIST)].flatMap(([, number]) => {
      const value = Array.isArray(given) ? given[Number(number) - 1] : undefined;
      const isList = Array.isArray(value) || (typeof value === 'string' && value.trim().startsWith('{{'));
      return isList
        ? [
            warn(
              path,
              `"IN ($${number})" compares with one value, not with the items of a list: write "= ANY($${number})"`,
            ),
          ]
        : [];
    }),
  );
};

const checks: Readonly<Record<string, Check>> = {
  httpRequest: checkCall,
  respondToWebhook: checkResponse,
  [WEBHOOK_TRIGGER]: checkTrigger,
  email: checkMail,
  eventTrigger: checkPattern,
  postgres: checkLists,
};
