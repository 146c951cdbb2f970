import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { WEBHOOK_TRIGGER } from '../../../../lib/workflows/definition/to-path-configs.ts';
import type { DraftNode } from '../graph/draft-graph.ts';
import { findTextSource } from './data-source.ts';

/** Finds keys that tell requests, messages or callers apart, and are the same for all of them. */
export const checkKeys = ({ index, node }: DraftNode): Problem[] => {
  const place = `/nodes/${index}/parameters`;
  if (node.type === 'aws') {
    const { service, input = null } = node.parameters;
    return [
      ...checkInput(input, `${place}/input`),
      ...(service === 'dynamodb' && isPlainObject(input)
        ? checkItems(input as JsonObject, `${place}/input`)
        : []),
    ];
  }
  if (node.type === WEBHOOK_TRIGGER) return checkRate(node.parameters, place);
  const { headers } = node.parameters;
  return Object.entries(isPlainObject(headers) ? (headers as JsonObject) : {}).flatMap(([name, value]) =>
    /^(?:x-)?idempotency-(?:key|token)$/i.test(name) && isSame(value)
      ? [
          warn(
            `${place}/headers/${toPointerKey(name)}`,
            `is the same in every run, so the receiver takes all requests but the first for repetitions: ${node.type === 'httpRequest' ? 'set "idempotencyKey": true, or ' : ''}write what identifies the request, such as {{ body.id }}`,
          ),
        ]
      : [],
  );
};

const warn = (path: string, message: string): Problem => ({ path, message, severity: 'warning' });

const isSame = (value: JsonValue): boolean => {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && ['nothing', 'fixed'].includes(findTextSource(value));
};

const REPEATED = 'is the same in every run, so the service takes all but the first for repetitions';
/** Keys of AWS's operations that identify one message or call. */
const INPUTS: Readonly<Record<string, string>> = {
  MessageDeduplicationId: `${REPEATED}: write what identifies the message, such as {{ body.id }}`,
  MessageGroupId:
    'is the same in every run, so all messages are delivered one after another: write whose order matters, such as {{ body.customerId }}',
  ...Object.fromEntries(
    ['ClientRequestToken', 'ClientToken', 'IdempotencyToken', 'clientToken', 'clientRequestToken'].map(
      (name) => [name, `${REPEATED}: write what identifies the call, such as {{ $execution.id }}`],
    ),
  ),
};

/** Keys of AWS's operations that are texts, also where they are JSON. */
const TEXTS: ReadonlySet<string> = new Set([
  'MessageBody',
  'Message',
  'Detail',
  'Payload',
  'input',
  'TemplateData',
]);

const checkText = (key: string, value: JsonValue, path: string): Problem[] => {
  const isJson =
    Array.isArray(value) ||
    (isPlainObject(value) && !Object.keys(value).some((name) => name.startsWith('$')));
  if (TEXTS.has(key) && isJson) return [warn(path, 'must be a text: write JSON as {{ $string({ … }) }}')];
  if (typeof value !== 'string') return [];
  if (key === 'Bucket' && /^(?:s3|https?):\/\//.test(value))
    return [warn(path, 'is the name of the bucket alone, without s3:// and key')];
  return key === 'Key' && value.startsWith('/')
    ? [warn(path, 'begins with "/", which is a part of the key: the key is another one without it')]
    : [];
};

const checkInput = (value: JsonValue, path: string): Problem[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]: [string, JsonValue]) => {
        const place = `${path}/${toPointerKey(key)}`;
        const message = Object.hasOwn(INPUTS, key) ? INPUTS[key] : undefined;
        if (message !== undefined && isSame(inner)) return [warn(place, message)];
        const ofText = checkText(key, inner, place);
        return ofText.length > 0 ? ofText : checkInput(inner, place);
      });

/** Inputs of DynamoDB that are maps of attributes: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html */
const ITEMS = ['Item', 'Key', 'ExpressionAttributeValues', 'ExclusiveStartKey'];
const ATTRIBUTES = ['S', 'N', 'B', 'SS', 'NS', 'BS', 'M', 'L', 'NULL', 'BOOL'];

const checkItems = (input: JsonObject, place: string): Problem[] =>
  ITEMS.flatMap((name) =>
    Object.entries(isPlainObject(input[name]) ? (input[name] as JsonObject) : {}).flatMap(([key, value]) =>
      checkAttribute(value, `${place}/${name}/${toPointerKey(key)}`),
    ),
  );

const checkAttribute = (value: JsonValue, path: string): Problem[] => {
  if (typeof value === 'string' && value.trim().startsWith('{{')) return []; // may give a whole attribute
  const types = isPlainObject(value) ? Object.keys(value) : [];
  const [type = ''] = types;
  if (types.length !== 1 || !ATTRIBUTES.includes(type))
    return [
      warn(path, 'is not a value of DynamoDB: write its type around it, such as { "S": "{{ body.id }}" }'),
    ];
  return type === 'N' && typeof (value as JsonObject).N === 'number'
    ? [warn(`${path}/N`, 'must be a text, since DynamoDB takes numbers as texts')]
    : [];
};

const PER_REQUEST =
  /^(?:x-amzn-trace-id|traceparent|tracestate|x-request-id|x-correlation-id|date|content-length|idempotency-key)$/;
const OF_ALL =
  /^(?:host|accept|accept-encoding|accept-language|connection|content-type|user-agent|origin|referer|via|x-forwarded-(?:proto|port|host))$/;
const OF_GATEWAY = /^(?:x-forwarded-for|forwarded|x-real-ip|cf-connecting-ip|true-client-ip)$/;

const checkRate = ({ rateLimit }: JsonObject, place: string): Problem[] => {
  const by = isPlainObject(rateLimit) && typeof rateLimit.by === 'string' ? rateLimit.by : '';
  const [, name = ''] = /^header:(.+)$/.exec(by.toLowerCase()) ?? [];
  const reason = PER_REQUEST.test(name)
    ? 'differs in each request, so no caller ever reaches the limit'
    : OF_ALL.test(name)
      ? 'does not tell callers apart: those that send the same share one limit'
      : OF_GATEWAY.test(name)
        ? 'is what callers write into it: "ip" is the address that the gateway sees'
        : null;
  return reason === null ? [] : [warn(`${place}/rateLimit/by`, `the header ${quote(name)} ${reason}`)];
};
