import { closed, headers, isPlainObject, type JsonObject, Type } from '@hookloom/plugin-kit';

const text = Type.String();

/** What a `webhookTrigger` with these parameters delivers: the request. */
export const describeRequest = ({ path = '', schema, body }: JsonObject) => {
  const names = [...String(path).matchAll(/[:*](\w+)/g)].map(([, name = '']) => name);
  return closed({
    triggeredAt: text,
    triggerType: text,
    body: Type.Unknown(isPlainObject(schema) ? { ...schema } : {}),
    headers,
    queryParams: Type.Record(text, text),
    requestMethod: text,
    requestPath: text,
    remoteAddress: text,
    ...(names.length > 0
      ? { pathParams: closed(Object.fromEntries(names.map((name) => [name, text]))) }
      : {}),
    ...(isPlainObject(body) && body.raw === true ? { rawBody: text } : {}),
  });
};
