import { createHmac } from 'node:crypto';
import { answerJson } from '../../../shared/answer.ts';
import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { FeaturePorts, Stages } from '../../webhook-feature.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { refuse } from './echo.ts';

/**
 * The tokens of X. No others: the answer is a signature with the secret that signs deliveries too, and with any text for a token,
 * a caller could have the body of a delivery signed.
 */
const TOKEN = /^[A-Za-z0-9+/=_-]+$/;
const MAX_TOKEN_LENGTH = 200;

/** The challenge-response check. https://docs.x.com/x-api/webhooks/quickstart */
export const x = ({ credentialId = '' }: HandshakeRule, ports: FeaturePorts): Stages => ({
  admit: async ({ request }) => {
    if (request.method !== 'GET') return null;
    const { crc_token: token } = parseUrlEncoded(request.rawQueryString);
    if (token === undefined) return null;
    const isToken = typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token);
    if (!isToken) return refuse('the crc_token is none of X');
    const secret = await senderSecrets(ports).current(credentialId);
    const digest = createHmac('sha256', secret).update(token).digest('base64');
    return answerJson(200, { response_token: `sha256=${digest}` });
  },
});
