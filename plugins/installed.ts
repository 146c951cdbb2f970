import {
  type InstalledPlugin,
  legacyAction,
  legacyTrigger,
  unified,
  unifiedOnUse,
} from '../lib/plugins/installed-plugin.ts';

const credentialTypes = [
  'httpBearer',
  'httpBasic',
  'httpHeader',
  'httpQuery',
  'oauth2',
  'awsRole',
  'tlsClient',
  'slackWebhook',
  'smtp',
  'postgres',
  'signingKey',
  'signingSecret',
];
const dataNodeTypes = [
  'sort',
  'limit',
  'removeDuplicates',
  'aggregate',
  'summarize',
  'splitOut',
  'batch',
  'pick',
  'renameKeys',
  'compareLists',
  'noOp',
  'stopAndError',
];
const formatNodeTypes = ['csv', 'xml', 'html', 'markdown', 'dateTime', 'crypto', 'validate'];
const slackNodeTypes = [
  'slackMessage',
  'slackUpdateMessage',
  'slackAddReaction',
  'slackFindUser',
  'slackUploadFile',
  'slackWebhook',
];
const githubNodeTypes = [
  'githubCreateIssue',
  'githubUpdateIssue',
  'githubComment',
  'githubListIssues',
  'githubGetFile',
  'githubPutFile',
  'githubDispatchWorkflow',
  'githubCreateRelease',
  'githubCommitStatus',
];

/**
 * The installed plugins: only what is listed here runs.
 *
 * To install a plugin, put it into a file of this folder, written against `lib/contract` only, and add one line with the
 * helper for its API. Keep the `import()` inside the function: a module is then evaluated on first use, and one that
 * throws breaks itself alone.
 */
export const installedPlugins: readonly InstalledPlugin[] = [
  legacyTrigger('webhookTrigger', () => import('../lib/nodes/webhook-trigger.ts')),
  legacyTrigger('manualTrigger', () => import('../lib/nodes/manual-trigger.ts')),
  legacyAction('httpRequest', () => import('../lib/nodes/http-request/http-request.ts')),
  unified('flow', () => import('../lib/nodes/flow.ts')),
  unifiedOnUse(
    'control',
    { nodeTypes: ['wait', 'approval', 'forEach', 'subworkflow'] },
    () => import('../lib/nodes/control.plugin.ts'),
  ),
  unifiedOnUse(
    'credentials',
    { credentialTypes },
    () => import('../lib/credential-types/credential-types.plugin.ts'),
  ),
  unifiedOnUse('data', { nodeTypes: dataNodeTypes }, () => import('../lib/nodes/data/data.plugin.ts')),
  unifiedOnUse(
    'formats',
    { nodeTypes: formatNodeTypes },
    () => import('../lib/nodes/formats/formats.plugin.ts'),
  ),
  unifiedOnUse('aws', { nodeTypes: ['aws'] }, () => import('../lib/nodes/aws/aws.plugin.ts')),
  unifiedOnUse('llm', { nodeTypes: ['llm'] }, () => import('../lib/nodes/llm/llm.plugin.ts')),
  unifiedOnUse('email', { nodeTypes: ['email'] }, () => import('../lib/nodes/email/email.plugin.ts')),
  unifiedOnUse(
    'postgres',
    { nodeTypes: ['postgres'] },
    () => import('../lib/nodes/postgres/postgres.plugin.ts'),
  ),
  unifiedOnUse('code', { nodeTypes: ['code'] }, () => import('../lib/nodes/code/code.plugin.ts')),
  unifiedOnUse('slack', { nodeTypes: slackNodeTypes }, () => import('../lib/nodes/slack/slack.plugin.ts')),
  unifiedOnUse(
    'github',
    { nodeTypes: githubNodeTypes },
    () => import('../lib/nodes/github/github.plugin.ts'),
  ),
  unifiedOnUse(
    'triggers',
    { nodeTypes: ['scheduleTrigger', 'eventTrigger', 'queueTrigger', 'errorTrigger'] },
    () => import('../lib/triggers/types/triggers.plugin.ts'),
  ),
  unifiedOnUse('graphql', { nodeTypes: ['graphql'] }, () => import('../lib/nodes/graphql/graphql.plugin.ts')),
  unifiedOnUse('rss', { nodeTypes: ['rss'] }, () => import('../lib/nodes/rss/rss.plugin.ts')),
];
