import { isJsonMap, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';

/** What is of use of an issue: a tenth of what GitHub sends. */
export const toIssue = (issue: JsonObject): JsonObject => ({
  number: issue.number ?? null,
  title: issue.title ?? null,
  state: issue.state ?? null,
  url: issue.html_url ?? null,
  body: issue.body ?? null,
  author: nameOf(issue.user, 'login'),
  labels: namesOf(issue.labels, 'name'),
  assignees: namesOf(issue.assignees, 'login'),
  milestone: nameOf(issue.milestone, 'title'),
  comments: issue.comments ?? 0,
  isPullRequest: isPullRequest(issue),
  createdAt: issue.created_at ?? null,
  updatedAt: issue.updated_at ?? null,
  closedAt: issue.closed_at ?? null,
});

/** For the API, a pull request is an issue too. */
export const isPullRequest = (issue: JsonObject): boolean => isJsonMap(issue.pull_request);

/** Labels may be texts alone. */
const nameOf = (value: JsonValue | undefined, key: string): JsonValue =>
  typeof value === 'string' ? value : isJsonMap(value) ? (value[key] ?? null) : null;

const namesOf = (values: JsonValue | undefined, key: string): readonly JsonValue[] =>
  Array.isArray(values) ? values.map((value) => nameOf(value, key)) : [];
