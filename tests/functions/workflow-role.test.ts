import { expect, test } from '@jest/globals';
import FunctionRoles from '../../resources/function-roles.ts';

/** What the Framework has read of a serverless.yml with these statements for workflows. */
const makeRoles = (workflowStatements: readonly object[]) => {
  const Resources: Record<string, object> = { WorkflowRole: { Properties: { Path: '/stage/' } } };
  new FunctionRoles({
    service: { functions: {}, resources: { Resources }, custom: { workflowStatements } },
    configSchemaHandler: { defineFunctionProperties: () => {} },
    getProvider: () => ({
      naming: { getNormalizedFunctionName: (key) => key, getLogGroupLogicalId: (key) => key },
    }),
  }).hooks.initialize();
  return Resources.WorkflowRole;
};

test('the role of workflows has its listed statements, and no policy if there are none', () => {
  const statement = { Effect: 'Allow', Action: ['sns:Publish'], Resource: '*' };
  expect(makeRoles([])).toEqual({ Properties: { Path: '/stage/' } });
  expect(makeRoles([statement])).toMatchObject({
    Properties: { Path: '/stage/', Policies: [{ PolicyDocument: { Statement: [statement] } }] },
  });
});
