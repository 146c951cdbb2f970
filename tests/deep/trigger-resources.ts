import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { schedulerRole, triggerDeadLetters } from '../../lib/triggers/types/stage-resources.ts';
import type { Template } from '../support/check-template.ts';
import { dependenciesOf } from '../support/check-template-references.ts';
import { grantsOf, placesOf, statementsOf } from '../support/role-grants.ts';

/** The rules that triggers register, on the default bus and on others; and those of releases before 0.3. */
const [ownRules, formerRules] = ['.*', `-${'?'.repeat(43)}`].map((name) => [
  `rule/STAGE${name}`,
  `rule/*/STAGE${name}`,
]);

interface Sending {
  readonly Condition: { readonly ArnLike: { readonly 'aws:SourceArn': unknown } };
}

/** As triggers name what the template has. */
const stage = {
  partition: 'aws',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of CloudFormation
  region: '${AWS::Region}',
  accountId: '000000000000',
  prefix: 'hookloom-dev',
};

/** What the template has for triggers that register themselves. @param read - the template, once it is there */
export const describeTriggerResources = (read: () => Template): void => {
  const propertiesOf = (id: string) => read().Resources[id]?.Properties ?? {};

  describe('triggers that register themselves', () => {
    test('a registration reaches only the event function, with a role that only the schedules use', () => {
      const dispatch = { 'Fn::GetAtt': ['DispatchLambdaFunction', 'Arn'] };
      const conditions = statementsOf(propertiesOf('SweepRegistrationsRole')).flatMap(
        ({ Action, Condition }) => {
          const action = [Action].flat().join();
          return Condition === undefined || action.startsWith('dynamodb:') ? [] : [[action, Condition]];
        },
      );
      expect(Object.fromEntries(conditions)).toEqual({
        'iam:PassRole': { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
        'events:PutTargets': {
          'ForAllValues:ArnEquals': { 'events:TargetArn': dispatch },
          Null: { 'events:TargetArn': 'false' },
        },
        'lambda:CreateEventSourceMapping': { ArnEquals: { 'lambda:FunctionArn': dispatch } },
        'lambda:UpdateEventSourceMapping,lambda:DeleteEventSourceMapping': {
          ArnEquals: { 'lambda:FunctionArn': dispatch },
        },
      });
      const role = propertiesOf('SchedulerRole');
      expect(role).toMatchObject({
        RoleName: { 'Fn::Sub': schedulerRole(stage).split('/').at(-1) },
        AssumeRolePolicyDocument: {
          Statement: [
            {
              Principal: { Service: 'scheduler.amazonaws.com' },
              Condition: {
                StringEquals: {
                  'aws:SourceAccount': { Ref: 'AWS::AccountId' },
                  'aws:SourceArn': { 'Fn::GetAtt': ['ScheduleGroup', 'Arn'] },
                },
              },
            },
          ],
        },
      });
      expect(grantsOf(role)).toEqual([
        'lambda:InvokeFunction DispatchLambdaFunction',
        'sqs:SendMessage TriggerDeadLetterQueue',
      ]);
      expect(propertiesOf('ScheduleGroup')).toEqual({ Name: 'hookloom-dev' });
      const permissions = Object.values(read().Resources).filter(
        ({ Type, Properties }) =>
          Type === 'AWS::Lambda::Permission' && isDeepStrictEqual(Properties?.FunctionName, dispatch),
      );
      expect(permissions.map(({ Properties }) => Properties?.Principal)).toEqual([
        'events.amazonaws.com',
        'events.amazonaws.com',
        'events.amazonaws.com',
        'events.amazonaws.com',
      ]);
      expect(permissions.flatMap(({ Properties }) => placesOf(Properties?.SourceArn)).sort()).toEqual(
        [ownRules, formerRules].flat().sort(),
      );
    });

    test('what could not be delivered to the event function, or stored by it, is kept for 14 days', () => {
      const queue = { 'Fn::GetAtt': ['TriggerDeadLetterQueue', 'Arn'] };
      expect(propertiesOf('DispatchLambdaFunction').DeadLetterConfig).toEqual({ TargetArn: queue });
      expect(propertiesOf('TriggerDeadLetterQueue')).toEqual({
        QueueName: triggerDeadLetters(stage).split(':').at(-1),
        SqsManagedSseEnabled: true,
        MessageRetentionPeriod: 1_209_600,
      });
      const { PolicyDocument } = propertiesOf('TriggerDeadLetterQueuePolicy') as {
        PolicyDocument: { Statement: readonly [Sending, Sending] };
      };
      const [statement, ofFormer] = PolicyDocument.Statement;
      expect(statement).toMatchObject({
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queue,
      });
      expect(placesOf(statement.Condition.ArnLike['aws:SourceArn'])).toEqual(ownRules);
      expect(placesOf(ofFormer.Condition.ArnLike['aws:SourceArn'])).toEqual(formerRules);
    });

    test('before the stack is removed, everything is unregistered, and no sweep registers it again', () => {
      expect(read().Resources.Registrations).toEqual({
        Type: 'AWS::CloudFormation::CustomResource',
        DependsOn: ['ScheduleGroup'],
        Properties: {
          ServiceToken: { 'Fn::GetAtt': ['SweepRegistrationsLambdaFunction', 'Arn'] },
          ServiceTimeout: 900,
        },
      });
      // What the removal of the custom resource needs is removed after it.
      const needed = dependenciesOf('Registrations', read());
      expect([...needed].sort()).toEqual(
        expect.arrayContaining([
          'DispatchLambdaFunction',
          'RegistrationsTable',
          'ScheduleGroup',
          'SweepRegistrationsLambdaFunction',
          'SweepRegistrationsRole',
        ]),
      );
      expect(dependenciesOf('SweepRegistrationsEventsRuleSchedule1', read())).toContain('Registrations');
    });
  });
};
