import { definePlugin } from '@hookloom/plugin-kit';
import { githubComment } from './github-comment.ts';
import { githubCommitStatus } from './github-commit-status.ts';
import { githubCreateIssue } from './github-create-issue.ts';
import { githubCreateRelease } from './github-create-release.ts';
import { githubDispatchWorkflow } from './github-dispatch-workflow.ts';
import { githubGetFile } from './github-get-file.ts';
import { githubListIssues } from './github-list-issues.ts';
import { githubPutFile } from './github-put-file.ts';
import { githubUpdateIssue } from './github-update-issue.ts';

export default definePlugin({
  id: 'github',
  name: 'GitHub',
  version: '1.0.0',
  description: 'Works with issues, files, workflows, releases and commit statuses of GitHub',
  category: 'development',
  handles: [
    githubCreateIssue,
    githubUpdateIssue,
    githubComment,
    githubListIssues,
    githubGetFile,
    githubPutFile,
    githubDispatchWorkflow,
    githubCreateRelease,
    githubCommitStatus,
  ],
});
