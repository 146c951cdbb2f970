import { type Answer, isAuthorized, type Routes, readJson, sendJson } from './system.ts';

/** Answers as Slack does: 200 for refusals as well. */
const postMessage: Answer = async (request, response) => {
  if (!isAuthorized(request)) return sendJson(response, 200, { ok: false, error: 'invalid_auth' });
  const { channel, text } = await readJson(request);
  if (text === undefined || text === '') return sendJson(response, 200, { ok: false, error: 'no_text' });
  process.stdout.write(`Slack, in ${channel}: ${text}\n`);
  sendJson(response, 200, { ok: true, channel, ts: '1763800000.000100', message: { text } });
};

/** The Web API of Slack: one method. */
export const slackRoutes: Routes = [[/^POST \/slack\/api\/chat\.postMessage$/, postMessage]];
