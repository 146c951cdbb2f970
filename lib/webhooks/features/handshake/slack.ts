import { isPlainObject } from '../../../contract/json.ts';
import type { Stages } from '../../webhook-feature.ts';
import { answerText, checkChallenge } from './echo.ts';

/** https://docs.slack.dev/reference/events/url_verification */
export const slack = (): Stages => ({
  judge: ({ input: { body } }) =>
    isPlainObject(body) && body.type === 'url_verification'
      ? answerText(checkChallenge(body.challenge))
      : null,
});
