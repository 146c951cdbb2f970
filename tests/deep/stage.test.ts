import { describe, expect, test } from '@jest/globals';
import { describeApprovals } from '../e2e/suites/approvals.ts';
import { describeBackgroundRuns } from '../e2e/suites/background-runs.ts';
import { describeBulkRetries } from '../e2e/suites/bulk-retries.ts';
import { describeCommandLine } from '../e2e/suites/command-line.ts';
import { describeFailuresAndHand } from '../e2e/suites/failures-and-hand.ts';
import { describeGateway } from '../e2e/suites/gateway.ts';
import { describeRequests } from '../e2e/suites/requests.ts';
import { describeSamples } from '../e2e/suites/samples.ts';
import { describeSettings } from '../e2e/suites/settings.ts';
import { describeSignatures } from '../e2e/suites/signatures.ts';
import { describeState } from '../e2e/suites/state.ts';
import { describeStatistics } from '../e2e/suites/statistics.ts';
import { describeTrials } from '../e2e/suites/trials.ts';
import { describeTriggers } from '../e2e/suites/triggers.ts';
import { describeUploads } from '../e2e/suites/uploads.ts';
import { describeWebhookBodies } from '../e2e/suites/webhook-bodies.ts';
import { describeWebhookGuards } from '../e2e/suites/webhook-guards.ts';
import { describeWebhookParameters } from '../e2e/suites/webhook-parameters.ts';
import { set } from '../support/a-project-file.ts';
import { useRunningStage } from '../support/a-running-stage.ts';
import { checkNames, runCheck } from '../support/stage-checks.ts';
import { useStandIn } from '../support/stand-in.ts';
import { unusedGrants, usedAtTimes } from './unused-grants.ts';

const standIn = useStandIn();
const stage = useRunningStage({
  env: () => ({ STAND_IN_PORT: String(standIn.port), STAND_IN_MAIL_PORT: String(standIn.mailPort) }),
});

// The suites of the running service, in front of the packaged one; what is there only with edits that are live is left out.
describeSamples(stage, standIn);
describeCommandLine(stage);
describeGateway(stage);
describeFailuresAndHand(stage);
describeBulkRetries(stage);
describeWebhookBodies(stage);
describeWebhookGuards(stage);
describeRequests(stage);
describeStatistics(stage);
describeSettings(stage);
describeState(stage);
describeWebhookParameters(stage);
describeSignatures(stage);
describeUploads(stage);
describeApprovals(stage);
describeTriggers(stage);
describeTrials(stage);
describeBackgroundRuns(stage);

describe('a stage', () => {
  test.each(checkNames)('%s', (name) => runCheck(stage, name));
});

describe('the policies that docs/ prints', () => {
  const definition = {
    id: 'of-an-author',
    name: 'Of an author',
    enabled: true,
    nodes: [{ id: 'in', type: 'scheduleTrigger', parameters: { rate: '1 hour' } }],
    connections: [],
  };

  // holds: policies-limit-people
  test('let an author put, switch, list and remove workflows, and nothing else', async () => {
    expect(
      await stage.cliAs('author', 'workflow put -', { stdin: JSON.stringify(definition) }),
    ).toMatchObject({
      code: 0,
    });
    const dryRun = await stage.cliAs('author', 'workflow put --dry-run -', {
      stdin: JSON.stringify(definition),
    });
    expect(dryRun).toMatchObject({ code: 0 });
    const commands = [
      'disable of-an-author',
      'enable of-an-author',
      'get of-an-author',
      'list',
      'history of-an-author',
      'rollback of-an-author 2',
      'remove of-an-author',
    ];
    for (const command of commands)
      expect(await stage.cliAs('author', `workflow ${command}`)).toMatchObject({ code: 0 });
    const denied = await stage.cliAs('author', 'execution list');
    expect([denied.code, denied.stderr]).toEqual([
      1,
      expect.stringMatching(/denied|not allowed|may not|permission/i),
    ]);
    expect((await stage.callAs('author', '/api/admin/debug')).status).toBe(403);
  });

  // holds: policies-limit-people
  test('let an operator put no workflows', async () => {
    const { code } = await stage.cliAs('operator', 'workflow put -', { stdin: JSON.stringify(definition) });
    expect([code, (await stage.cliAs('operator', 'workflow get of-an-author')).code]).toEqual([1, 1]);
    expect(await stage.cliAs('operator', 'workflow list')).toMatchObject({ code: 0 });
  });

  // holds: policies-limit-people
  test('let everyone evaluate a node, and readers try none', async () => {
    const [trigger] = definition.nodes;
    const nodes = [trigger, { id: 'greet', ...set({ said: '{{ place }}' }) }];
    const body = JSON.stringify({
      definition: { ...definition, nodes },
      nodeId: 'greet',
      input: { place: 'here' },
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    for (const user of ['reader', 'operator', 'author']) {
      const answer = await stage.callAs(user, '/api/admin/workflows/evaluate', init);
      expect([user, await answer.json()]).toEqual([
        user,
        {
          run: expect.objectContaining({ status: 'succeeded', outputs: { main: { said: 'here' } } }),
          errors: [],
        },
      ]);
    }
    expect((await stage.callAs('reader', '/api/admin/workflows/try', init)).status).toBe(403);
  });
});

/** By holder, action and resource. */
const describeGrant = ({ holder, action, resource }: { holder: string; action: string; resource: string }) =>
  `${holder} ${action} ${resource}`
    .replaceAll(/arn:aws:[\w-]*:[\w*-]*:[\d*]*:/g, '')
    .replaceAll('hookloom-dev', 'STAGE')
    .replaceAll('STAGE-000000000000-us-east-1', 'BUCKET')
    .replace(/ [a-z0-9]{10}\/\*\//, ' API/*/');

// Last: it is about all that the suites above have done. stage-doctor.test.ts uses those of the doctor.
describe('the grants of the template', () => {
  // holds: least-permissions
  test('are used by a suite, or listed with a reason', async () => {
    // What CloudFormation calls with a deployer's keys is not here: tests/scripts has the policy held against its handlers.
    const grants = (await stage.grants()).filter(
      ({ holder }) => !['owner', 'deployer', 'doctor'].includes(holder),
    );
    expect(grants.map(describeGrant)).toEqual(expect.arrayContaining(Object.keys(usedAtTimes)));
    const unused = grants
      .filter(({ used }) => !used)
      .map(describeGrant)
      .filter((grant) => !Object.hasOwn(usedAtTimes, grant));
    expect([...new Set(unused)].sort()).toEqual(Object.keys(unusedGrants).sort());
  });
});
