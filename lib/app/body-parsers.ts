import { limitJson, parseJsonBody } from '../http/parse-json-body.ts';
import type { BodyParsers, OpenStages } from '../webhooks/webhook-feature.ts';

/**
 * The parsers of a webhook's bodies. Not a middleware: which one a body gets depends on its content type and the webhook's
 * features, and it is parsed after the webhook has been found and the sender authenticated, over the bytes as sent.
 *
 * @param maxDepth - maximum nesting depth of a body
 */
export const createBodyParsers =
  (maxDepth: number) =>
  ({ checkJson }: Pick<OpenStages, 'checkJson'>): BodyParsers => ({
    json: (text) => {
      const value = parseJsonBody(text, maxDepth);
      checkJson(text, value);
      return value;
    },
    limitJson,
    xml: parseXml,
    maxDepth,
  });

const parseXml: BodyParsers['xml'] = async (text) =>
  (await import('@hookloom/bounded-xml')).parseXml(text, new Set(), 'it');
