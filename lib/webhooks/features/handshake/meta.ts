import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { FeaturePorts, Stages } from '../../webhook-feature.ts';
import { isEqual } from '../sender/is-equal.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { answerText, checkChallenge, refuse } from './echo.ts';

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests */
export const meta = ({ credentialId = '' }: HandshakeRule, ports: FeaturePorts): Stages => ({
  admit: async ({ request }) => {
    if (request.method !== 'GET') return null;
    const query = parseUrlEncoded(request.rawQueryString);
    if (query['hub.mode'] !== 'subscribe') return null;
    const challenge = checkChallenge(query['hub.challenge']);
    const given = String(query['hub.verify_token'] ?? '');
    const isRight = await senderSecrets(ports).some(credentialId, (token) => isEqual(given, token));
    return isRight ? answerText(challenge) : refuse('the verify token is another');
  },
});
