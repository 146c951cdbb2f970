import {
  isFileValue,
  isJsonMap,
  type JsonObject,
  type JsonValue,
  type OutboundRequest,
  type Services,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { streamFile, toMediaType } from './file-body.ts';
import { toMultipart } from './multipart.ts';
import type { Parameters } from './rules.ts';

interface RequestBody extends Pick<OutboundRequest, 'body' | 'bodyBytes'> {
  /** Null without a body. */
  readonly contentType: string | null;
}

/**
 * Makes the body of one request: a stream, which is read once, where it holds files.
 *
 * @throws TypeError that names the parameter
 */
export const toRequestBody = (
  { body, bodyType }: Pick<Parameters, 'body' | 'bodyType'>,
  { files, ids }: Pick<Services, 'files' | 'ids'>,
): RequestBody => {
  if (body === undefined || body === null) return { body: null, contentType: null };
  switch (bodyType) {
    case 'json':
      return { body: JSON.stringify(body), contentType: 'application/json' };
    case 'text':
      if (typeof body !== 'string') throw wrongParameter('body', 'a string', body);
      return { body, contentType: 'text/plain; charset=utf-8' };
    case 'form':
      return { body: toForm(toMap(body)), contentType: 'application/x-www-form-urlencoded' };
    case 'multipart':
      return toMultipart(toMap(body), files, ids.next());
    case 'file':
      if (!isFileValue(body)) throw wrongParameter('body', 'a file', body);
      return { body: streamFile(body, files), bodyBytes: body.size, contentType: toMediaType(body) };
  }
};

const toMap = (body: JsonValue): JsonObject => {
  if (!isJsonMap(body)) throw wrongParameter('body', 'a map', body);
  return body;
};

const toForm = (body: JsonObject): string => {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && typeof item === 'object')
        throw wrongParameter(`body.${name}`, 'a text or a number', item);
      form.append(name, item === null ? '' : String(item));
    }
  }
  return form.toString();
};
