import { definePlugin } from '@hookloom/plugin-kit';
import { githubGetFile, githubPutFile } from './contents.ts';
import { githubComment, githubCreateIssue, githubListIssues, githubUpdateIssue } from './issues.ts';
import { githubCommitStatus, githubCreateRelease, githubDispatchWorkflow } from './repository.ts';

export default definePlugin({
  id: 'github',
  name: 'GitHub',
  version: '1.0.0',
  description: 'Works with GitHub issues, files, workflows, releases and commit statuses',
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
