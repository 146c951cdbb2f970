import {
  callJsonApi,
  isJsonMap,
  type JsonAnswer,
  type JsonApiCall,
  type JsonObject,
  joinUrl,
  type NodeContext,
} from '@hookloom/plugin-kit';
import { findGithubFailure } from './github-failure.ts';
import { toPath } from './to-path.ts';

/** A parameter of most node types, and the one that names the API. */
export interface InRepository {
  readonly repository: string;
  readonly baseUrl: string;
}

interface GithubCall
  extends Pick<JsonApiCall, 'method' | 'query' | 'body' | 'maxResponseBytes' | 'isSuccess'> {
  /** Within the repository; no segment is encoded yet. */
  readonly path: readonly string[];
}

/** Sends a request about a repository to the REST API of GitHub. @throws NodeError that says what GitHub says */
export const callGithub = (
  { repository, baseUrl }: InRepository,
  { path, isSuccess, ...call }: GithubCall,
  context: NodeContext,
): Promise<JsonAnswer> =>
  callJsonApi(
    {
      ...call,
      url: joinUrl(baseUrl, toPath(['repos', ...repository.split('/'), ...path])),
      headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
      ...(isSuccess === undefined ? {} : { isSuccess }),
      findFailure: (answer, now) =>
        isSuccess?.(answer.status) === true ? null : findGithubFailure(answer, now),
    },
    context,
  );

/** The body of an answer, a map. */
export const toMap = ({ body }: JsonAnswer): JsonObject => (isJsonMap(body) ? body : {});
