/** The part of the Serverless Framework that our plugins need. */
interface Serverless {
  readonly service: {
    readonly functions: Record<string, { role?: string; readonly iamRoleStatements?: readonly Statement[] }>;
    readonly resources: { readonly Resources: Record<string, object> };
    readonly custom: { readonly workflowStatements: readonly Statement[] };
  };
  readonly configSchemaHandler: { defineFunctionProperties(provider: string, schema: object): void };
  getProvider(name: 'aws'): {
    readonly naming: {
      getNormalizedFunctionName(key: string): string;
      getLogGroupLogicalId(key: string): string;
    };
  };
}

interface Statement {
  readonly Resource?: unknown;
}

const Version = '2012-10-17'; // of the policy language

/**
 * A Serverless plugin: every function has its own IAM role, which allows writing the function's log and what its
 * `iamRoleStatements` add, so that a permission is next to the function that needs it. A statement whose `Resource` is
 * an empty list is omitted, since IAM would refuse it.
 *
 * `custom.workflowStatements` are the policy of `WorkflowRole`, with which nodes call AWS; if empty, it has no policy.
 */
export default class FunctionRoles {
  /** Roles are created at `initialize`: before that, variables in statements are unresolved. */
  readonly hooks: { readonly initialize: () => void };

  constructor(serverless: Serverless) {
    serverless.configSchemaHandler.defineFunctionProperties('aws', {
      properties: { iamRoleStatements: { $ref: '#/definitions/awsIamPolicyStatements' } },
    });
    this.hooks = { initialize: () => addRoles(serverless) };
  }
}

const addRoles = (serverless: Serverless): void => {
  const { naming } = serverless.getProvider('aws');
  const { functions, resources, custom } = serverless.service;
  for (const [key, definition] of Object.entries(functions)) {
    definition.role = `${naming.getNormalizedFunctionName(key)}Role`;
    resources.Resources[definition.role] = toRole([
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: { 'Fn::GetAtt': [naming.getLogGroupLogicalId(key), 'Arn'] },
      },
      ...(definition.iamRoleStatements ?? []).filter(hasResource),
    ]);
  }
  const { workflowStatements } = custom;
  const { WorkflowRole } = resources.Resources as { WorkflowRole: { readonly Properties: object } };
  if (workflowStatements.length > 0)
    Object.assign(WorkflowRole.Properties, { Policies: [toPolicy('workflows', workflowStatements)] });
};

const hasResource = ({ Resource }: Statement): boolean => !(Array.isArray(Resource) && Resource.length === 0);

const toRole = (Statement: readonly object[]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version,
      Statement: [
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ],
    },
    Policies: [toPolicy('function', Statement)],
  },
});

const toPolicy = (PolicyName: string, Statement: readonly object[]) => ({
  PolicyName,
  PolicyDocument: { Version, Statement },
});
