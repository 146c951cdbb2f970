import { answerJson } from '../../../shared/answer.ts';
import type { HandshakeRule } from '../../../workflows/webhook-rules/handshake.ts';
import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { FeaturePorts, Stages } from '../../webhook-feature.ts';
import { signToken } from '../sender/handshake-token.ts';
import { senderSecrets } from '../sender/sender-secrets.ts';
import { refuse } from './echo.ts';

/** The challenge-response check. https://docs.x.com/x-api/webhooks/quickstart */
export const x = ({ credentialId = '' }: HandshakeRule, ports: FeaturePorts): Stages => ({
  admit: async ({ request }) => {
    if (request.method !== 'GET') return null;
    const { crc_token: token } = parseUrlEncoded(request.rawQueryString);
    if (token === undefined) return null;
    const secret = await senderSecrets(ports).current(credentialId);
    const signed = signToken(token, secret, 'base64') ?? refuse('the crc_token is none of X');
    return answerJson(200, { response_token: `sha256=${signed}` });
  },
});
