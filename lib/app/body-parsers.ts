import { limitJson } from '../http/limit-json.ts';
import { parseJsonBody } from '../http/parse-json-body.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { BodyParsers } from '../webhooks/webhook-feature.ts';

/**
 * The parsers of a webhook's bodies.
 *
 * @param maxDepth - maximum nesting depth of a body
 */
export const createBodyParsers = (maxDepth: number): ((webhook: Webhook) => BodyParsers) => {
  const parsersFor = (bigNumbers: 'string' | 'refuse'): BodyParsers => ({
    json: (text) => parseJsonBody(text, maxDepth, bigNumbers),
    limitJson,
    xml: parseXml,
    maxDepth,
  });
  const [lenient, strict] = [parsersFor('string'), parsersFor('refuse')];
  return ({ config }) => (config.features?.bigNumbers === 'refuse' ? strict : lenient);
};

const parseXml: BodyParsers['xml'] = async (text) =>
  (await import('@hookloom/bounded-xml')).parseXml(text, new Set(), 'it');
