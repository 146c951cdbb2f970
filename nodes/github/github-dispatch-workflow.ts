import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, credentials, repository } from './parameters.ts';

export const githubDispatchWorkflow = defineAction({
  id: 'githubDispatchWorkflow',
  name: 'GitHub: run a workflow',
  description: 'Starts a workflow of GitHub Actions that has the trigger workflow_dispatch',
  parameters: Type.Object({
    repository,
    workflow: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Its file, such as deploy.yml, or its id',
    }),
    ref: Type.String({ default: 'main', minLength: 1, description: 'Branch or tag to run it on' }),
    inputs: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      default: {},
      description: 'Its inputs by name',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      workflow: 'deploy.yml',
      inputs: { version: '{{ version }}' },
    },
    input: { version: '1.2.0' },
    output: { dispatched: true },
  },
  execute: async ({ parameters, context }) => {
    const { dispatchWorkflow } = await import('./repository.chunk.ts');
    return dispatchWorkflow(parameters, context);
  },
});
