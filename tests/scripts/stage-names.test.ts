import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readAccount, resolveTemplate } from 'lambda-stage/door';
import { toAlarms } from '../../resources/alarms.ts';
import type { Template } from '../../resources/cloudformation.ts';
import { printPolicy, toPolicies } from '../../scripts/policy/policies.ts';
import { readStageTemplate } from '../support/a-stage-template.ts';
import { projectRoot } from '../support/run-command.ts';

const region = 'eu-central-1';
const account = '123456789012';
const policies = toPolicies(readFileSync(join(projectRoot, 'serverless.yml'), 'utf8'));
const arn = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;

/** A stage in the account: the patterns in what it allows, and the ARNs of what it has. */
const openStage = (stage: string) => {
  const stackName = `hookloom-${stage}`;
  const template = readStageTemplate(stage);
  const { resources, ...place } = resolveTemplate(template, { account, region, stackName });
  const { identities, resourcePolicies } = readAccount({ ...place, resources }, {});
  const ofPeople = Object.values(policies).map((policy) =>
    printPolicy(policy)
      .replaceAll('STAGE', stage)
      .replaceAll('REGION', region)
      .replaceAll('ACCOUNT', account),
  );
  const documents = [...identities.flatMap((one) => one.policies), ...resourcePolicies.values()].map(
    ({ document }) => JSON.stringify([document.Statement].flat().filter(({ Effect }) => Effect === 'Allow')),
  );
  const patterns = [...documents, ...ofPeople].flatMap((text) =>
    [...text.matchAll(/"(arn:[^"]*hookloom-[^"]*)"/g)].map(([, pattern = '']) => pattern),
  );

  const named = Object.values(resources).flatMap(({ arn: own }) => own ?? []);
  const functions = named.filter((one) => one.includes(':function:'));
  const tables = named.filter((one) => one.includes(':table/'));
  const quotas = { concurrency: 1_000, durableStarts: 300 };
  const alarms = Object.values(toAlarms(template as Template, stackName, 'arn:topic', quotas)).map(
    ({ Properties }) => arn('cloudwatch', `alarm:${Properties?.AlarmName}`),
  );
  const hash = 'A-_0'.repeat(11).slice(0, 43);
  const rule = `${stackName}.2.${hash}`.slice(0, 53);
  const formerRule = `${stackName}-${hash}`.slice(0, 64);
  const deployed = [
    ...named.filter((one) => one.includes(stackName)),
    ...functions.map((one) => `${one}:7`),
    ...alarms,
    arn('logs', `log-group:/aws/http-api/${stackName}`),
    ...['SweepEventsRuleSchedule1', 'SweepRegistrationsEventsRuleSchedule1'].map((id) =>
      arn('events', `rule/${stackName}-${id}-1A2B3C4D5E6F`),
    ),
    `arn:aws:s3:::${stackName}-serverlessdeploymentbucket-1a2b3c4d5e6f`,
    `arn:aws:s3:::${stackName}-blobbucket-1a2b3c4d5e6f`,
    `arn:aws:cloudwatch::${account}:dashboard/${stackName}`,
    arn('cloudformation', `stack/${stackName}/1`),
  ];
  const madeLater = [
    arn('events', `rule/${rule}`),
    arn('events', `rule/orders/${rule}`),
    arn('scheduler', `schedule/${stackName}/a`),
    arn('ssm', `parameter/${stackName}/credentials/crm`),
    arn('secretsmanager', `secret:${stackName}/crm-AbCdEf`),
    ...tables.flatMap((one) => [`${one}/index/byTime`, `${one}/stream/2026`]),
    ...functions.map(
      (one) => `${one.replace(':lambda:', ':logs:').replace(':function:', ':log-group:/aws/lambda/')}:*`,
    ),
  ];
  const formerRules = [arn('events', `rule/${formerRule}`), arn('events', `rule/orders/${formerRule}`)];
  return { patterns: [...new Set(patterns)], deployed, names: [...deployed, ...madeLater], formerRules };
};

/** As IAM compares: `*` is any text, and `?` any character. */
const toExpression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );

const others = [
  'eu',
  'admin',
  'webhook',
  'run',
  'sweep',
  'retry',
  'workflow',
  'bulk',
  'trigger',
  'state',
  'role',
  region,
];

describe('what a stage allows', () => {
  const { patterns, deployed, names } = openStage('production');

  test.each(others)('matches nothing of a stage whose name has "-%s" after its own', (other) => {
    const { names: ofOther, formerRules } = openStage(`production-${other}`);
    expect(ofOther.length).toBeGreaterThan(200);
    // Rules of earlier releases are told apart by length, and a rule of a schedule may happen to have that length.
    const compared = other === 'eu' ? patterns : patterns.filter((pattern) => !pattern.includes('?'));
    const shared = compared.flatMap((pattern) => {
      const expression = toExpression(pattern);
      return [...ofOther, ...formerRules]
        .filter((name) => expression.test(name))
        .map((name) => `${pattern} ${name}`);
    });
    expect(shared).toEqual([]);
  });

  test('matches nothing of the stage whose name its own begins with', () => {
    const { patterns: ofLonger } = openStage('production-eu');
    const expressions = ofLonger.map(toExpression);
    expect(names.filter((name) => expressions.some((one) => one.test(name)))).toEqual([]);
  });

  test('lets its deployers reach everything that a deployment creates', () => {
    const { deployer, deployerData, deployerRoles } = policies;
    const own = [deployer, deployerData, deployerRoles]
      .flatMap(({ Statement }) => Statement.flatMap(({ Resource }) => Resource as string | string[]))
      .map((one) =>
        one.replaceAll('STAGE', 'production').replaceAll('REGION', region).replaceAll('ACCOUNT', account),
      )
      .filter((one) => one !== '*')
      .map(toExpression);
    expect(deployed.filter((name) => !own.some((one) => one.test(name)))).toEqual([]);
  });
});
