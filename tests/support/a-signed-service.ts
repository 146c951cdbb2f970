import type { JsonObject } from '@hookloom/plugin-kit';
import { aWebhookEvent, type WebhookEventChanges } from './a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from './a-webhook-service.ts';
import { type Answer, anOutboundService } from './outbound-credentials.ts';

interface SignedServiceOptions {
  /** The credential `sender`: a secret, or a secret and the one before. */
  readonly secrets?: readonly string[];
  /** What other systems answer. */
  readonly answer?: Answer;
  /** The time at which the service is called: milliseconds since the epoch. */
  readonly at?: number;
}

/** The webhook function with a credential of the type signingSecret, and a webhook that uses it. */
export const aSignedService = async (
  webhook: NonNullable<AWorkflow['webhook']>,
  { secrets = [], answer, at }: SignedServiceOptions = {},
) => {
  const outbound = anOutboundService(answer === undefined ? {} : { answer });
  const service = await aWebhookService({ outboundCredentials: outbound.credentials });
  if (at !== undefined) service.clock.advance(at - service.clock.now());
  const putSecrets = ([secret = '', previous = '']: readonly string[]) =>
    outbound.put('sender', 'signingSecret', { secret, previous });
  if (secrets.length > 0) await putSecrets(secrets);
  await service.put({ webhook });
  /** The answer to a request at the time of the service. */
  const receive = (changes: WebhookEventChanges) => {
    const event = aWebhookEvent(changes);
    const requestContext = { ...event.requestContext, timeEpoch: service.clock.now() };
    return service.call({ ...event, requestContext });
  };
  return {
    ...service,
    outbound,
    putSecrets,
    receive,
    /** The status of a request. */
    send: async (changes: WebhookEventChanges) => (await receive(changes)).statusCode,
    /** The last line of the log that is about a request. */
    lastLine: (): JsonObject =>
      service.lines.map((line) => JSON.parse(line)).findLast(({ message }) => message === 'request'),
  };
};
