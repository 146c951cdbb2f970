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
  unified('webhookTrigger', () => import('../nodes/webhook/webhook-trigger.ts')),
  unified('manualTrigger', () => import('../nodes/webhook/manual-trigger.ts')),
  unifiedOnUse(
    'httpRequest',
    { nodeTypes: ['httpRequest'] },
    () => import('../nodes/http-request/http-request.plugin.ts'),
  ),
  unified('flow', () => import('../nodes/flow/flow.ts')),
  unifiedOnUse(
    'control',
    { nodeTypes: ['wait', 'approval', 'forEach', 'subworkflow'] },
    () => import('../nodes/control/control.plugin.ts'),
  ),
  unifiedOnUse(
    'credentials',
    { credentialTypes },
    () => import('../nodes/credential-types/credential-types.plugin.ts'),
  ),
  unifiedOnUse('data', { nodeTypes: dataNodeTypes }, () => import('../nodes/data/data.plugin.ts')),
  legacyAction('noOp', () => import('../nodes/data/no-op.plugin.ts')),
  unifiedOnUse('formats', { nodeTypes: formatNodeTypes }, () => import('../nodes/formats/formats.plugin.ts')),
  unifiedOnUse('aws', { nodeTypes: ['aws'] }, () => import('../nodes/aws/aws.plugin.ts')),
  unifiedOnUse('llm', { nodeTypes: ['llm'] }, () => import('../nodes/llm/llm.plugin.ts')),
  unifiedOnUse('email', { nodeTypes: ['email'] }, () => import('../nodes/email/email.plugin.ts')),
  unifiedOnUse('postgres', { nodeTypes: ['postgres'] }, () => import('../nodes/postgres/postgres.plugin.ts')),
  unifiedOnUse('code', { nodeTypes: ['code'] }, () => import('../nodes/code/code.plugin.ts')),
  unifiedOnUse('slack', { nodeTypes: slackNodeTypes }, () => import('../nodes/slack/slack.plugin.ts')),
  unifiedOnUse('github', { nodeTypes: githubNodeTypes }, () => import('../nodes/github/github.plugin.ts')),
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
  unifiedOnUse('graphql', { nodeTypes: ['graphql'] }, () => import('../nodes/graphql/graphql.plugin.ts')),
  unifiedOnUse('rss', { nodeTypes: ['rss'] }, () => import('../nodes/rss/rss.plugin.ts')),
  unifiedOnUse('state', { nodeTypes: ['state'] }, () => import('../nodes/state/state.plugin.ts')),
];
