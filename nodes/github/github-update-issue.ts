import { defineAction, Type } from '@hookloom/plugin-kit';
import {
  assignees,
  baseUrl,
  body,
  credentials,
  exampleIssue,
  issueNumber,
  labels,
  milestone,
  repository,
  title,
} from './parameters.ts';

export const githubUpdateIssue = defineAction({
  id: 'githubUpdateIssue',
  name: 'GitHub: update an issue',
  description:
    'Changes, closes or reopens an issue or a pull request of GitHub. What is not given stays as it is',
  parameters: Type.Object({
    repository,
    number: issueNumber,
    title: Type.Optional(title),
    body: Type.Optional(body),
    state: Type.Optional(Type.Enum(['open', 'closed'], { description: 'Close or reopen it' })),
    stateReason: Type.Optional(
      Type.Enum(['completed', 'not_planned', 'duplicate', 'reopened'], { description: 'Why' }),
    ),
    labels: Type.Optional(labels),
    assignees: Type.Optional(assignees),
    milestone: Type.Optional(milestone),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      number: '{{ number }}',
      state: 'closed',
      stateReason: 'completed',
    },
    input: { number: 7 },
    output: { ...exampleIssue, state: 'closed', closedAt: '2026-01-05T11:00:00Z' },
  },
  execute: async ({ parameters, context }) => {
    const { updateIssue } = await import('./issues.chunk.ts');
    return updateIssue(parameters, context);
  },
});
