import { defineAction, Type } from '@hookloom/plugin-kit';
import {
  assignees,
  baseUrl,
  body,
  credentials,
  exampleIssue,
  labels,
  milestone,
  repository,
  title,
} from './parameters.ts';

export const githubCreateIssue = defineAction({
  id: 'githubCreateIssue',
  name: 'GitHub: create an issue',
  description: 'Creates an issue in a repository of GitHub',
  parameters: Type.Object({
    repository,
    title,
    body: Type.Optional(body),
    labels: Type.Optional(labels),
    assignees: Type.Optional(assignees),
    milestone: Type.Optional(milestone),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      title: 'Order {{ number }} failed',
      body: '{{ reason }}',
      labels: ['bug'],
    },
    input: { number: 'A-1', reason: 'No tea left' },
    output: exampleIssue,
  },
  execute: async ({ parameters, context }) => {
    const { createIssue } = await import('./issues.chunk.ts');
    return createIssue(parameters, context);
  },
});
