import type { Template } from '../../src/stage/door/template.ts';

export const account = '123456789012';
export const region = 'eu-west-1';
export const functionArn = `arn:aws:lambda:${region}:${account}:function:shop-orders`;
/** A statement that allows. */
export const allow = <Resource>(
  Action: string | string[],
  Resource: Resource,
  Condition?: Record<string, object>,
) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...(Condition === undefined ? {} : { Condition }),
});
const aRole = (Statement: object[], service = 'lambda.amazonaws.com', more = {}) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }],
    },
    Policies: [{ PolicyName: 'own', PolicyDocument: { Version: '2012-10-17', Statement } }],
    ...more,
  },
});

export const stack = { account, region, stackName: 'shop' };

/** A shop: a function's role with conditions, roles of others, a bucket and a table. */
export const template: Template = {
  Resources: {
    Api: { Type: 'AWS::ApiGatewayV2::Api' },
    Orders: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'orders' } },
    Bucket: { Type: 'AWS::S3::Bucket' },
    OrdersRole: aRole([
      allow('dynamodb:GetItem', { 'Fn::GetAtt': ['Orders', 'Arn'] }),
      allow(['s3:GetObject', 's3:PutObject'], { 'Fn::Sub': `\${Bucket.Arn}/orders/*` }),
      allow('s3:ListBucket', { 'Fn::GetAtt': ['Bucket', 'Arn'] }, { Null: { 's3:prefix': 'true' } }),
      allow(['ssm:GetParameter', 'ssm:GetParameters', 'ssm:PutParameter'], {
        'Fn::Sub': `arn:aws:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter/shop/*`,
      }),
      allow('lambda:InvokeFunction', `${functionArn}:live`),
      allow(
        ['lambda:CheckpointDurableExecution', 'lambda:SendDurableExecutionCallbackSuccess'],
        `${functionArn}:*`,
      ),
      allow(['lambda:CreateEventSourceMapping', 'lambda:DeleteEventSourceMapping'], '*', {
        ArnEquals: { 'lambda:FunctionArn': functionArn },
      }),
    ]),
    ReportsRole: aRole([allow('s3:GetObject', { 'Fn::Sub': `\${Bucket.Arn}/*` })]),
    AuditRole: aRole([allow(['s3:GetObject', 's3:DeleteObject'], { 'Fn::Sub': `\${Bucket.Arn}/*` })]),
    TimerRole: aRole([], 'scheduler.amazonaws.com'),
    WorkerRole: aRole([allow('s3:*', '*')], 'lambda.amazonaws.com', {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Principal: { AWS: { 'Fn::GetAtt': ['OrdersRole', 'Arn'] } },
            Action: 'sts:AssumeRole',
          },
        ],
      },
    }),
  },
};
