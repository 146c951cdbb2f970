import type { JsonObject, NodeContext } from '@hookloom/plugin-kit';
import { callGithub, type InRepository, toMap } from './call-github.ts';

interface Dispatch extends InRepository {
  readonly workflow: string;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
}

/** Starts a workflow. Inputs are sent as texts, the only type that every version of the API takes. */
export const dispatchWorkflow = async (given: Dispatch, context: NodeContext): Promise<JsonObject> => {
  const { workflow, ref } = given;
  const inputs = Object.fromEntries(
    Object.entries(given.inputs).map(([name, value]) => [name, String(value)]),
  );
  const path = ['actions', 'workflows', workflow, 'dispatches'];
  await callGithub(given, { method: 'POST', path, body: { ref, inputs } }, context);
  return { dispatched: true };
};

interface Release extends InRepository {
  readonly tag: string;
  readonly target?: string;
  readonly name?: string;
  readonly body?: string;
  readonly draft: boolean;
  readonly prerelease: boolean;
  readonly generateNotes: boolean;
}

/** Creates a release, named after its tag by default. */
export const createRelease = async (release: Release, context: NodeContext): Promise<JsonObject> => {
  const { tag, target, name = tag, body, draft, prerelease, generateNotes } = release;
  const fields = {
    tag_name: tag,
    ...(target === undefined ? {} : { target_commitish: target }),
    name,
    ...(body === undefined ? {} : { body }),
    draft,
    prerelease,
    generate_release_notes: generateNotes,
  };
  const answer = await callGithub(release, { method: 'POST', path: ['releases'], body: fields }, context);
  const { id = null, html_url = null, body: notes = null, upload_url = null } = toMap(answer);
  return { id, url: html_url, tag, notes, uploadUrl: upload_url };
};

interface CommitStatus extends InRepository {
  readonly sha: string;
  readonly state: string;
  readonly statusContext: string;
  readonly description?: string;
  readonly targetUrl?: string;
}

/** Adds a status to a commit: of those of one context, the last one counts. */
export const setCommitStatus = async (given: CommitStatus, context: NodeContext): Promise<JsonObject> => {
  const { sha, state, statusContext, description, targetUrl } = given;
  const body = {
    state,
    context: statusContext,
    ...(description === undefined ? {} : { description }),
    ...(targetUrl === undefined ? {} : { target_url: targetUrl }),
  };
  const answer = toMap(await callGithub(given, { method: 'POST', path: ['statuses', sha], body }, context));
  return { id: answer.id ?? null, state, sha };
};
