import { describe, expect, test } from '@jest/globals';
import { resolveTemplate, type Template } from '../../src/stage/door/template.ts';

const options = { account: '123456789012', region: 'eu-west-1', stackName: 'shop-dev' };

const aTemplate = (parts: Partial<Template> = {}): Template => ({
  Resources: {
    Orders: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'orders' } },
    Queue: { Type: 'AWS::SQS::Queue' },
    ...parts.Resources,
  },
  ...Object.fromEntries(Object.entries(parts).filter(([name]) => name !== 'Resources')),
});

/** The value of an expression, as the property of a resource. */
const evaluate = (expression: unknown, parts: Partial<Template> = {}, parameters = {}): unknown =>
  resolveTemplate(
    aTemplate({
      ...parts,
      Resources: { ...parts.Resources, It: { Type: 'AWS::IAM::Role', Properties: { value: expression } } },
    }),
    { ...options, parameters },
  ).resources.It?.properties.value;

const tableArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/orders';

describe('an intrinsic function has the value that CloudFormation gives it:', () => {
  test.each<[string, unknown, unknown]>([
    ['Ref of a resource', { Ref: 'Orders' }, 'orders'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::AccountId' }, '123456789012'],
    ['Fn::GetAtt', { 'Fn::GetAtt': ['Orders', 'Arn'] }, tableArn],
    ['Fn::GetAtt as one text', { 'Fn::GetAtt': 'Orders.Arn' }, tableArn],
    [
      'Fn::Sub',
      { 'Fn::Sub': `\${Orders.Arn}/index/\${AWS::Region} \${Orders} \${!Kept}` },
      `${tableArn}/index/eu-west-1 orders \${Kept}`,
    ],
    [
      'Fn::Sub with its own variables',
      { 'Fn::Sub': [`\${a}-\${Orders}`, { a: { Ref: 'AWS::StackName' } }] },
      'shop-dev-orders',
    ],
    ['Fn::Join', { 'Fn::Join': ['/', ['a', { Ref: 'Orders' }]] }, 'a/orders'],
    ['Fn::Join of a list', { 'Fn::Join': ['+', { 'Fn::Split': ['-', 'a-b-c'] }] }, 'a+b+c'],
    ['Fn::Select', { 'Fn::Select': ['1', { 'Fn::Split': ['-', 'a-b-c'] }] }, 'b'],
    ['Fn::Base64', { 'Fn::Base64': 'abc' }, 'YWJj'],
    ['a list with AWS::NoValue', ['a', { Ref: 'AWS::NoValue' }], ['a']],
    ['a map with AWS::NoValue', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    [
      'the Condition of a statement',
      { Condition: { StringEquals: { a: { Ref: 'Orders' } } } },
      { Condition: { StringEquals: { a: 'orders' } } },
    ],
    ["IAM's variables", `arn:aws:s3:::b/\${aws:username}`, `arn:aws:s3:::b/\${aws:username}`],
  ])('%s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test('Fn::FindInMap', () => {
    const Mappings = { Sizes: { 'eu-west-1': { small: '10' } } };
    expect(evaluate({ 'Fn::FindInMap': ['Sizes', { Ref: 'AWS::Region' }, 'small'] }, { Mappings })).toBe(
      '10',
    );
  });

  const Conditions = {
    IsProduction: { 'Fn::Equals': [{ Ref: 'Stage' }, 'production'] },
    IsOther: { 'Fn::Not': [{ Condition: 'IsProduction' }] },
    Both: { 'Fn::And': [{ Condition: 'IsProduction' }, { Condition: 'IsOther' }] },
    Either: { 'Fn::Or': [{ Condition: 'IsProduction' }, { Condition: 'IsOther' }] },
  };
  const Parameters = { Stage: { Type: 'String', Default: 'dev', AllowedValues: ['dev', 'production'] } };

  test.each([
    ['IsProduction', 'no', 'yes'],
    ['IsOther', 'yes', 'no'],
    ['Both', 'no', 'no'],
    ['Either', 'yes', 'yes'],
  ])('Fn::If of %s', (condition, inDev, inProduction) => {
    const expression = { 'Fn::If': [condition, 'yes', 'no'] };
    expect(evaluate(expression, { Conditions, Parameters })).toBe(inDev);
    expect(evaluate(expression, { Conditions, Parameters }, { Stage: 'production' })).toBe(inProduction);
  });

  test('a resource and an output with a false condition are left out', () => {
    const template = aTemplate({
      Conditions,
      Parameters,
      Resources: { Topic: { Type: 'AWS::SNS::Topic', Condition: 'IsProduction' } },
      Outputs: {
        Topic: { Condition: 'IsProduction', Value: { Ref: 'Topic' } },
        Table: { Value: { Ref: 'Orders' } },
      },
    });
    const { resources, outputs } = resolveTemplate(template, options);
    expect([Object.keys(resources), outputs]).toEqual([['Orders', 'Queue'], { Table: 'orders' }]);
    const inProduction = resolveTemplate(template, { ...options, parameters: { Stage: 'production' } });
    expect(inProduction.outputs.Topic).toBe(inProduction.resources.Topic?.ref);
  });
});

describe('an unknown construct is an error with its place:', () => {
  test.each<[string, unknown, string]>([
    ['a function', { 'Fn::Cidr': ['10.0.0.0/16', 1, 8] }, 'It.value: unknown function Fn::Cidr'],
    ['a function that objects inherit', { 'Fn::constructor': [] }, 'unknown function Fn::constructor'],
    [
      'a function in a list in a function',
      { 'Fn::Join': ['', ['a', { 'Fn::ImportValue': 'b' }]] },
      'unknown function Fn::ImportValue',
    ],
    ['a name', { Ref: 'Missing' }, 'It.value: the template has no Missing'],
    ['a name that objects inherit', { Ref: 'toString' }, 'the template has no toString'],
    ['a name in Fn::Sub', { 'Fn::Sub': `\${Missing}` }, 'the template has no Missing'],
    [
      'an attribute in Fn::Sub',
      { 'Fn::Sub': `\${Orders.Stream}` },
      'unknown attribute Stream of AWS::DynamoDB::Table',
    ],
    ['an attribute', { 'Fn::GetAtt': ['Queue', 'Nothing'] }, 'unknown attribute Nothing of AWS::SQS::Queue'],
    ['a type of resource', { Ref: 'Fleet' }, 'the return values of AWS::EC2::EC2Fleet are unknown'],
    ['a function beside other keys', { Ref: 'Orders', more: 1 }, 'It.value: Ref must be the only key'],
    ['an index', { 'Fn::Select': [3, ['a']] }, 'Fn::Select has no value at index 3'],
    ['a condition', { 'Fn::If': ['Missing', 1, 2] }, 'there is no condition Missing'],
    ['a list that is none', { 'Fn::Join': [',', 'a'] }, 'must be a list'],
    ['an argument too many', { 'Fn::Join': [',', [], 'a'] }, 'has wrong arguments for the function'],
  ])('%s', (_, expression, message) => {
    const Resources = { Fleet: { Type: 'AWS::EC2::EC2Fleet' } };
    expect(() => evaluate(expression, { Resources })).toThrow(message);
  });

  test('names that refer to each other', () => {
    const Resources = {
      A: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { Ref: 'B' } } },
      B: { Type: 'AWS::SNS::Topic', Properties: { TopicName: { 'Fn::GetAtt': ['A', 'QueueName'] } } },
    };
    expect(() => evaluate(1, { Resources })).toThrow('circular references');
  });

  test.each([
    [{}, 'the parameter Size has neither a value nor a default'],
    [{ Size: '3' }, 'the parameter Size can\'t be "3"'],
    [{ Size: '1', Other: '1' }, 'the template has no parameter Other'],
  ])('the parameters %j', (parameters, message) => {
    const Parameters = { Size: { Type: 'Number', AllowedValues: [1, 2] } };
    expect(() => evaluate({ Ref: 'Size' }, { Parameters }, parameters)).toThrow(message);
  });
});

test('resources may refer to each other if no name needs itself', () => {
  const Resources = {
    One: { Type: 'AWS::IAM::Role', Properties: { Description: { 'Fn::GetAtt': ['Other', 'Arn'] } } },
    Other: {
      Type: 'AWS::IAM::Role',
      Properties: { Path: '/jobs/', Description: { 'Fn::GetAtt': ['One', 'Arn'] } },
    },
  };
  const { One, Other } = resolveTemplate(aTemplate({ Resources }), options).resources;
  expect([One?.properties.Description, Other?.properties.Description]).toEqual([Other?.arn, One?.arn]);
  expect(Other?.arn).toMatch(/^arn:aws:iam::123456789012:role\/jobs\/shop-dev-Other-\w{12}$/);
});

test('generated names are stable, differ between stacks, and are valid', () => {
  const Resources = { UploadsBucketOfTheOperatorsOfThisService: { Type: 'AWS::S3::Bucket' } };
  const refOf = (stackName: string) =>
    resolveTemplate(aTemplate({ Resources }), { ...options, stackName }).resources
      .UploadsBucketOfTheOperatorsOfThisService?.ref;
  expect(refOf('shop-dev')).toBe(refOf('shop-dev'));
  expect(refOf('shop-dev')).not.toBe(refOf('shop-test'));
  expect(refOf('shop-dev'.repeat(8))).toMatch(/^[a-z0-9-]{3,63}$/);
});
