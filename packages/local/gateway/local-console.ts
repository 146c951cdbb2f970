import { answerProblem, type GatewayAnswer, type RawRequest, splitTarget } from 'lambda-stage/gateway';
import { createSendBytes } from '../../cli/signed-requests.ts';
import { SIGN_INS_PATH } from '../../console/console-settings.ts';
import { createConsolePages } from '../../console/serve/console-pages.ts';
import { findForeignHost, findForeignRequest } from '../../console/serve/local-requests.ts';
import type { PassOn } from '../../console/serve/pass-on.ts';
import { createSignIns } from '../../console/serve/sign-ins.ts';

/**
 * Answers what the console asks of its own server: pages and files, and sign-ins, which are refused to pages of other
 * origins, except for the redirect of an authorization server.
 *
 * @param cacheFolder - where builds of the console are kept
 * @returns a function whose answer is null for any other request
 */
export const createLocalConsole = (
  cacheFolder: string,
): ((request: RawRequest, requestId: string) => Promise<GatewayAnswer | null>) => {
  const findPage = createConsolePages(cacheFolder, { stage: null, isReadOnly: false });
  let port = 0;
  const passOn: PassOn = createSendBytes({
    findUrl: async () => `http://localhost:${port}`,
    signing: null,
  });
  const signIns = createSignIns({ passOn, isReadOnly: false });
  return async (request, requestId) => {
    port = request.port;
    const back = findForeignHost(request) === null ? signIns.answerRedirect(request) : null;
    if (back !== null) return back;
    if (request.method === 'GET') return findPage(splitTarget(request.url).path);
    const isCall = request.method === 'POST' && request.url.startsWith(SIGN_INS_PATH);
    const foreign = isCall ? findForeignRequest(request) : null;
    if (foreign !== null) return answerProblem({ ...foreign, instance: requestId });
    return signIns.answerCall({
      ...request,
      readBody: async (maxBytes) => (request.body.length > maxBytes ? null : request.body),
    });
  };
};
