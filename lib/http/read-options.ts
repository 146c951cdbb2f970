import { isPlainObject } from '../contract/json.ts';
import { AppError } from '../shared/errors.ts';
import { operatorError } from '../shared/operator-errors.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { readQuery } from './read-query.ts';
import { readWebhookEvent } from './read-webhook-event.ts';

/**
 * The options of a request, in its query or in a JSON body; all are optional.
 *
 * @param names - those that there are
 * @param now - milliseconds since the epoch
 * @throws AppError `QUERY_INVALID` | `BODY_INVALID` | `BODY_TOO_DEEP`
 */
export const readOptions = (
  event: unknown,
  names: readonly string[],
  now: number,
): Readonly<Record<string, unknown>> => {
  const query = readQuery(event, names);
  const { rawBody } = readWebhookEvent(event, now);
  const body = rawBody.length === 0 ? {} : parseJsonBody(Buffer.from(rawBody).toString(), 5);
  if (!isPlainObject(body)) throw new AppError('BODY_INVALID', { reason: 'it is no map' });
  for (const name of Object.keys(body)) {
    if (!names.includes(name))
      throw operatorError('QUERY_INVALID', {
        reason: `there is no ${JSON.stringify(name.slice(0, 40))}, but ${names.join(' and ')}`,
      });
    if (Object.hasOwn(query, name))
      throw operatorError('QUERY_INVALID', { reason: `${name} is given twice` });
  }
  return { ...body, ...query };
};
