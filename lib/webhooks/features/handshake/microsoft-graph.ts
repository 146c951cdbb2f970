import { parseUrlEncoded } from '../../parse-url-encoded.ts';
import type { Stages } from '../../webhook-feature.ts';
import { answerText, checkChallenge } from './echo.ts';

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation */
export const microsoftGraph = (): Stages => ({
  verify: ({ request }) => {
    const { validationToken } = parseUrlEncoded(request.rawQueryString);
    return validationToken === undefined ? null : answerText(checkChallenge(validationToken));
  },
});
