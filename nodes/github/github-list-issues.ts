import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, credentials, exampleIssue, labels, repository } from './parameters.ts';

export const githubListIssues = defineAction({
  id: 'githubListIssues',
  name: 'GitHub: list issues',
  description: 'Lists the issues of a repository of GitHub. Puts out { issues, hasMore }',
  parameters: Type.Object({
    repository,
    state: Type.Enum(['open', 'closed', 'all'], { default: 'open', description: 'Which issues' }),
    labels: { ...labels, default: [], description: 'Only issues with all of these labels' },
    assignee: Type.Optional(
      Type.String({ minLength: 1, description: 'Only issues of this login; none or * for no and any' }),
    ),
    creator: Type.Optional(Type.String({ minLength: 1, description: 'Only issues opened by this login' })),
    since: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{1,20}Z$',
        description: 'Only issues that have changed since this time (ISO 8601, UTC)',
      }),
    ),
    sort: Type.Enum(['created', 'updated', 'comments'], { default: 'created', description: 'Order' }),
    direction: Type.Enum(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' }),
    includePullRequests: Type.Boolean({
      default: false,
      description: 'List pull requests as well, which are issues for the API',
    }),
    maxItems: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: 1_000,
      description: 'How many to list, from up to 50 pages of 100',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { repository: 'octocat/hello-world', labels: ['bug'], since: '{{ lastRun }}' },
    input: { lastRun: '2026-01-05T00:00:00Z' },
    output: { issues: [exampleIssue], hasMore: false },
  },
  execute: async ({ parameters, context }) => {
    const { listIssues } = await import('./list-issues.chunk.ts');
    return listIssues(parameters, context);
  },
});
