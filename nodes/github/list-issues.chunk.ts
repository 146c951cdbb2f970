import { isJsonMap, type JsonObject, type NodeContext, NodeError } from '@hookloom/plugin-kit';
import { findNextLink } from '../http-request/link-header.ts';
import { callGithub, type InRepository } from './call-github.ts';
import { isPullRequest, toIssue } from './to-issue.ts';

/** The most that GitHub has on a page. */
const PAGE_SIZE = 100;
/** Pages may be left out as pull requests. */
const MAX_PAGES = 50;
/** A page of issues with the longest texts. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

interface IssueQuery extends InRepository {
  readonly state: string;
  readonly labels: readonly string[];
  readonly assignee?: string;
  readonly creator?: string;
  readonly since?: string;
  readonly sort: string;
  readonly direction: string;
  readonly includePullRequests: boolean;
  readonly maxItems: number;
}

/**
 * Lists issues page after page, all in one attempt. Of the link to the next page only the query is
 * used: the host stays that of `baseUrl`.
 */
export const listIssues = async (given: IssueQuery, context: NodeContext): Promise<JsonObject> => {
  const issues: JsonObject[] = [];
  let query: JsonObject | null = toQuery(given);
  for (let page = 1; query !== null && page <= MAX_PAGES && issues.length < given.maxItems; page += 1) {
    const { headers, body } = await callGithub(
      given,
      { method: 'GET', path: ['issues'], query, maxResponseBytes: MAX_PAGE_BYTES },
      context,
    );
    if (!Array.isArray(body))
      throw new NodeError(
        'GitHub has answered with no list of issues: check that baseUrl is that of the API',
        {
          isRetryable: false,
        },
      );
    for (const issue of body) {
      if (isJsonMap(issue) && (given.includePullRequests || !isPullRequest(issue)))
        issues.push(toIssue(issue));
    }
    query = findNextQuery(headers.link ?? '');
  }
  const hasMore = query !== null || issues.length > given.maxItems;
  return { issues: issues.slice(0, given.maxItems), hasMore };
};

const toQuery = ({ state, labels, assignee, creator, since, sort, direction }: IssueQuery): JsonObject => ({
  state,
  labels: labels.length === 0 ? null : labels.join(','),
  assignee: assignee ?? null,
  creator: creator ?? null,
  since: since ?? null,
  sort,
  direction,
  per_page: PAGE_SIZE,
});

const findNextQuery = (link: string): JsonObject | null => {
  const next = findNextLink(link);
  const url = next === null ? null : URL.parse(next);
  return url === null ? null : Object.fromEntries(url.searchParams);
};
