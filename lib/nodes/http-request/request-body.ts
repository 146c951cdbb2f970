import type { JsonObject } from '../../contract/json.ts';
import type { OutboundRequest } from '../../contract/services.ts';
import { isJsonMap, wrongParameter } from '../../contract/kit/read-parameters.ts';
import type { Parameters } from './rules.ts';

interface RequestBody extends Pick<OutboundRequest, 'body'> {
  /** Null without a body. */
  readonly contentType: string | null;
}

const NONE: RequestBody = { body: null, contentType: null };

/** @throws TypeError that names the parameter */
export const toRequestBody = ({ body, bodyType }: Pick<Parameters, 'body' | 'bodyType'>): RequestBody => {
  if (body === undefined || body === null) return NONE;
  switch (bodyType) {
    case 'json':
      return { body: JSON.stringify(body), contentType: 'application/json' };
    case 'text':
      if (typeof body !== 'string') throw wrongParameter('body', 'a string', body);
      return { body, contentType: 'text/plain; charset=utf-8' };
    case 'form':
      if (!isJsonMap(body)) throw wrongParameter('body', 'a map', body);
      return { body: toForm(body), contentType: 'application/x-www-form-urlencoded' };
  }
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
