import type { JsonObject, NodeContext } from '@hookloom/plugin-kit';
import { callGithub, type InRepository, toMap } from './call-github.ts';
import { toIssue } from './to-issue.ts';

interface IssueFields {
  readonly title?: string;
  readonly body?: string;
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  readonly milestone?: number;
}

/** Creates an issue; the parameters have the names of the API. */
export const createIssue = async (
  { repository, baseUrl, ...fields }: InRepository & IssueFields,
  context: NodeContext,
): Promise<JsonObject> => {
  const call = { method: 'POST', path: ['issues'], body: { ...fields } };
  return toIssue(toMap(await callGithub({ repository, baseUrl }, call, context)));
};

interface IssueChanges extends InRepository, IssueFields {
  readonly number: number;
  readonly state?: string;
  readonly stateReason?: string;
}

/** Changes the given fields of an issue. */
export const updateIssue = async (
  { repository, baseUrl, number, stateReason, ...fields }: IssueChanges,
  context: NodeContext,
): Promise<JsonObject> => {
  const body = { ...fields, ...(stateReason === undefined ? {} : { state_reason: stateReason }) };
  const call = { method: 'PATCH', path: ['issues', String(number)], body };
  return toIssue(toMap(await callGithub({ repository, baseUrl }, call, context)));
};

interface Comment extends InRepository {
  readonly number: number;
  readonly body: string;
}

/** Comments on an issue or a pull request, which is an issue for the API. */
export const addComment = async (comment: Comment, context: NodeContext): Promise<JsonObject> => {
  const { number, body } = comment;
  const call = { method: 'POST', path: ['issues', String(number), 'comments'], body: { body } };
  const { id = null, html_url = null } = toMap(await callGithub(comment, call, context));
  return { id, url: html_url };
};
