import type { Stages } from '../../webhook-feature.ts';
import { answerText } from './echo.ts';

/** https://docs.github.com/webhooks/webhook-events-and-payloads#ping */
export const github = (): Stages => ({
  verify: ({ request }) => (request.headers['x-github-event'] === 'ping' ? answerText('pong') : null),
});
