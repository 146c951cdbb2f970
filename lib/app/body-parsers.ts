import { limitJson } from '../http/limit-json.ts';
import { parseJsonBody } from '../http/parse-json-body.ts';
import type { BodyParsers, OpenStages } from '../webhooks/webhook-feature.ts';

/**
 * The parsers of a webhook's bodies.
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
