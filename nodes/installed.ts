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
  'httpBody',
  'oauth2',
  'googleServiceAccount',
  'awsRole',
  'awsKeys',
  'tlsClient',
  'slackWebhook',
  'smtp',
  'imap',
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
 * To install a plugin, put it into a file of this folder, written against `@hookloom/plugin-kit` only, and add one line with the
 * helper for its API. Keep the `import()` inside the function: a module is then evaluated on first use, and one that
 * throws breaks itself alone.
 */
export const installedPlugins: readonly InstalledPlugin[] = [
  unified('webhookTrigger', () => import('./webhook/webhook-trigger.ts')),
  unified('manualTrigger', () => import('./webhook/manual-trigger.ts')),
  unifiedOnUse(
    'httpRequest',
    { nodeTypes: ['httpRequest'] },
    () => import('./http-request/http-request.plugin.ts'),
  ),
  unified('flow', () => import('./flow/flow.ts')),
  unifiedOnUse(
    'control',
    { nodeTypes: ['wait', 'approval', 'forEach', 'subworkflow'] },
    () => import('./control/control.plugin.ts'),
  ),
  unifiedOnUse(
    'credentials',
    { credentialTypes },
    () => import('./credential-types/credential-types.plugin.ts'),
  ),
  unifiedOnUse('data', { nodeTypes: dataNodeTypes }, () => import('./data/data.plugin.ts')),
  legacyAction('noOp', () => import('./data/no-op.plugin.ts')),
  unifiedOnUse('formats', { nodeTypes: formatNodeTypes }, () => import('./formats/formats.plugin.ts')),
  unifiedOnUse('aws', { nodeTypes: ['aws'] }, () => import('./aws/aws.plugin.ts')),
  unifiedOnUse('llm', { nodeTypes: ['llm'] }, () => import('./llm/llm.plugin.ts')),
  unifiedOnUse('email', { nodeTypes: ['email'] }, () => import('./email/email.plugin.ts')),
  unifiedOnUse('postgres', { nodeTypes: ['postgres'] }, () => import('./postgres/postgres.plugin.ts')),
  unifiedOnUse('code', { nodeTypes: ['code'] }, () => import('./code/code.plugin.ts')),
  unifiedOnUse('slack', { nodeTypes: slackNodeTypes }, () => import('./slack/slack.plugin.ts')),
  unifiedOnUse('github', { nodeTypes: githubNodeTypes }, () => import('./github/github.plugin.ts')),
  unifiedOnUse(
    'triggers',
    { nodeTypes: ['scheduleTrigger', 'queueTrigger', 'errorTrigger'] },
    () => import('../lib/triggers/types/triggers.plugin.ts'),
  ),
  legacyTrigger('eventTrigger', () => import('../lib/triggers/types/event-trigger.plugin.ts')),
  unifiedOnUse(
    'polls',
    { nodeTypes: ['pollTrigger', 'rssTrigger', 'imapTrigger'] },
    () => import('./polls.plugin.ts'),
  ),
  unifiedOnUse('graphql', { nodeTypes: ['graphql'] }, () => import('./graphql/graphql.plugin.ts')),
  unifiedOnUse('rss', { nodeTypes: ['rss'] }, () => import('./rss/rss.plugin.ts')),
  unifiedOnUse('state', { nodeTypes: ['state'] }, () => import('./state/state.plugin.ts')),
];
