import { type Answer, isAuthorized, type Routes, readJson, sendJson } from './system.ts';

/** A model that looks for words. */
const sortTicket = (text: string) => {
  const has = (...words: string[]): boolean => words.some((word) => text.toLowerCase().includes(word));
  let category = 'question';
  if (has('refund', 'invoice', 'charged')) category = 'billing';
  else if (has('broken', 'crash', 'error', 'does not work')) category = 'fault';
  return { category, urgent: has('urgent', 'immediately', 'at once'), summary: text.slice(0, 60) };
};

const complete: Answer = async (request, response) => {
  if (!isAuthorized(request)) return sendJson(response, 401, { error: { message: 'no valid API key' } });
  const { model, messages } = await readJson(request);
  const list = Array.isArray(messages) ? messages : [];
  const content = JSON.stringify(sortTicket(String(list.at(-1)?.content)));
  sendJson(response, 200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 42, completion_tokens: 21, total_tokens: 63 },
  });
};

/** Chat completions, as OpenAI and others have them. */
export const languageModelRoutes: Routes = [[/^POST \/llm\/v1\/chat\/completions$/, complete]];
