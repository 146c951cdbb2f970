import { describe, expect, test } from '@jest/globals';
import { checkTemplate, type Template, type TemplateResource } from '../support/check-template.ts';

const role: TemplateResource = {
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {},
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation
    Path: { 'Fn::Sub': ['/${AWS::StackName}/${name}/${Queue}/', { name: { Ref: 'Name' } }] },
  },
};
const queue: TemplateResource = { Type: 'AWS::SQS::Queue', Properties: { DelaySeconds: 1 } };
const table: TemplateResource = {
  Type: 'AWS::DynamoDB::Table',
  DependsOn: 'Queue',
  Properties: {
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    Tags: [{ Key: 'queue', Value: { 'Fn::GetAtt': ['Queue', 'Arn'] } }],
  },
};
const template: Template = {
  Parameters: { Name: { Type: 'String' } },
  Resources: { Role: role, Queue: queue, Table: table },
  Outputs: { Table: { Value: { Ref: 'Table' } } },
};

const withProperties = (resource: TemplateResource, properties: Record<string, unknown>) => ({
  ...resource,
  Properties: { ...resource.Properties, ...properties },
});

/** In one file with the packaged template: to load AWS's specification takes longer than all of it. */
export const describeCheckTemplate = (): void => {
  describe('the check of a template', () => {
    test('finds nothing wrong with a deployable template', () => {
      expect(checkTemplate(template)).toEqual([]);
    });

    test.each<[problem: string, resources: Record<string, TemplateResource>]>([
      ['Queue: unknown type AWS::SQS::Kew', { Queue: { Type: 'AWS::SQS::Kew' } }],
      [
        'Queue.Property: unknown attribute of a resource',
        { Queue: { ...queue, Property: {} } as TemplateResource },
      ],
      [
        'Table.DeletionPolicy: can\'t be "RetainExceptOnCreation"',
        { Table: { ...table, DeletionPolicy: 'RetainExceptOnCreation' } as TemplateResource },
      ],
      [
        'Table.UpdateReplacePolicy: can\'t be "RetainExceptOnCreate"',
        { Table: { ...table, UpdateReplacePolicy: 'RetainExceptOnCreate' } as TemplateResource },
      ],
      ['Queue.Delay: unknown', { Queue: withProperties(queue, { Delay: 1 }) }],
      [
        'Table.TimeToLiveSpecification.Name: unknown',
        { Table: withProperties(table, { TimeToLiveSpecification: { Name: 'a', Enabled: true } }) },
      ],
      ['Role.AssumeRolePolicyDocument: missing', { Role: { Type: 'AWS::IAM::Role' } }],
      [
        'Table.KeySchema[0].KeyType: missing',
        { Table: withProperties(table, { KeySchema: [{ AttributeName: 'id' }] }) },
      ],
      ['Table.Tags[0].Value: missing', { Table: withProperties(table, { Tags: [{ Key: 'a' }] }) }],
      [
        'Queue.DelaySeconds: must be of type integer, is "soon"',
        { Queue: withProperties(queue, { DelaySeconds: 'soon' }) },
      ],
      ['Table.Tags: must be of type array, is {}', { Table: withProperties(table, { Tags: {} }) }],
      [
        'Table.BillingMode: must be of type string, is 1',
        { Table: withProperties(table, { BillingMode: 1 }) },
      ],
      [
        'Role: refers to Kew, which the template does not have',
        { Role: withProperties(role, { Path: { Ref: 'Kew' } }) },
      ],
      [
        'Table: Queue has no attribute Arm',
        { Table: withProperties(table, { TableName: { 'Fn::GetAtt': 'Queue.Arm' } }) },
      ],
      ['Queue, Table: depend on each other', { Queue: { ...queue, DependsOn: ['Table'] } }],
      [
        'Queue, Table: depend on each other',
        { Queue: withProperties(queue, { QueueName: { Ref: 'Table' } }) },
      ],
      [
        'Queue, Role: depend on each other',
        { Queue: withProperties(queue, { QueueName: { 'Fn::GetAtt': ['Role', 'Arn'] } }) },
      ],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of CloudFormation
      ['Role: depend on each other', { Role: withProperties(role, { Path: { 'Fn::Sub': '${Role.Arn}' } }) }],
    ])('%s', (problem, resources) => {
      expect(checkTemplate({ ...template, Resources: { ...template.Resources, ...resources } })).toContain(
        problem,
      );
    });
  });
};
