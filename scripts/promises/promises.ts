/** A sentence of a page, as its readers see it, and the page with the heading on it. */
type Promised = readonly [sentence: string, place: string];

/** The page and the heading of a place. */
export const splitPlace = (place: string) => {
  const at = place.indexOf(': ');
  return { page: place.slice(0, at), heading: place.slice(at + 2) };
};

/** What the pages promise to operators, by topic and id. Tests cite the ids: `find-cited-tests.ts`. */
export const topics: Readonly<Record<string, Readonly<Record<string, Promised>>>> = {
  'Nothing is lost, and nothing runs twice': {
    'accepted-runs-happen': [
      'A request that gets 202 is first stored, then dispatched. The run happens, whatever fails after that.',
      'docs/operating.md: Background runs',
    ],
    'answered-runs-continue': [
      'After an answer before the end, the run continues in the background, and the answer stands, whatever fails later.',
      'docs/webhooks.md: Answers before the end',
    ],
    'one-delivery-one-run': [
      'For 24 hours, the same key at the same trigger starts nothing: one delivery is one run.',
      'docs/webhooks.md: Repeated deliveries',
    ],
    'starts-once-or-not-at-all': [
      'A run starts once, or not at all: a conditional write.',
      'README.md: The path of a request',
    ],
    'events-stored-before-acknowledged': [
      'An execution is stored before its event is acknowledged, and a repeated event starts no second execution.',
      'docs/triggers.md: Duplicates, failures, dead letters',
    ],
    'mail-once': ['Each mail starts the workflow once, and none is lost.', 'docs/triggers.md: Mail'],
    'held-runs-start-once': [
      'Held executions start in the order in which they were accepted, each once, however many sweeps run.',
      'docs/webhooks.md: Held executions',
    ],
    'bulk-retry-once': [
      'A bulk retry retries each execution at most once, whatever crashes.',
      'docs/executions.md: Retry many executions',
    ],
    'state-write-once': [
      'Each write of a workflow’s state takes effect once, also if the process ends between the write and its checkpoint.',
      'docs/state.md: Each write takes effect once',
    ],
    'one-answer-per-question': [
      'A callback URL is valid for one answer: if two arrive at once, one is accepted.',
      'docs/approvals.md: The callback URL',
    ],
    'files-all-or-nothing': [
      'Saving a file is all or nothing: if the process is killed, there is no file, or still the previous one.',
      'docs/files.md: In a node',
    ],
    'events-at-least-once': [
      'An execution is first finished in its record, then published: at least once, with one completion event.',
      'docs/events.md: Events',
    ],
    'overload-loses-nothing': [
      'Runs that arrive faster than Lambda takes them wait. No accepted run is lost.',
      'docs/operating.md: Overload and outages',
    ],
  },
  'Crashes and outages': {
    'survives-a-kill': [
      'Background runs survive a crash at any point, and resume at the node where they stopped.',
      'README.md: Hookloom',
    ],
    'finished-steps-stay': [
      'Finished steps are not repeated; an interrupted one is repeated with the same idempotency key.',
      'docs/workflow-format.md: Background runs',
    ],
    'at-most-once': [
      'With `atMostOnce`, an attempt that a crash interrupted is not repeated.',
      'docs/workflow-format.md: Nodes',
    ],
    'outage-is-no-crash': [
      'While a table or the bucket is out, the invocation of a run fails and is repeated; it does not count as a crash.',
      'docs/operating.md: Background runs',
    ],
    'cached-through-an-outage': [
      'While DynamoDB throttles or is unreachable, a sandbox continues with its cached workflow for five minutes, and with a cached credential for a minute.',
      'docs/operating.md: Settings',
    ],
    'runs-keep-their-version': [
      'A running execution stays on the version of the workflow that it started with.',
      'docs/operating.md: Background runs',
    ],
  },
  Secrets: {
    'secrets-in-no-record': [
      'The secrets of credentials never appear in a record, a log or a workflow file.',
      'README.md: Hookloom',
    ],
    'secrets-found-encoded': [
      'Borrowed secrets are found by their value in everything that leaves a node, even if it is encoded.',
      'docs/credentials.md: What is scrubbed',
    ],
    'redacted-by-name-and-form': [
      'Records, requests on record and logs of nodes have `[redacted]` in place of what is a secret by its name or its form.',
      'docs/operating.md: What is redacted',
    ],
    'requests-in-no-log': [
      'Headers, bodies, secrets and unmatched paths are never logged.',
      'docs/operating.md: Logs and records',
    ],
    'only-hashes-stored': [
      'Only hashes of callers’ secrets are stored: SHA-256 for generated keys, scrypt for chosen passwords.',
      'docs/webhooks.md: Authentication',
    ],
    'constant-time-checks': [
      'All comparisons of secrets take constant time.',
      'docs/webhooks.md: Authentication',
    ],
    'closed-without-credential': [
      'A workflow whose credential is missing never runs, so no webhook is open by accident.',
      'docs/webhooks.md: Authentication',
    ],
    'credentials-stay-at-their-hosts': [
      'A credential that names hosts is sent to no other host, however the URL was made.',
      'docs/credentials.md: Hosts',
    ],
    'revoked-secrets-end': [
      'A revoked key or password is accepted for at most `WORKFLOW_CACHE_SECONDS`, or a minute while DynamoDB can’t be reached.',
      'docs/credentials.md: How long an old secret is accepted',
    ],
    'callback-urls-stay-secret': [
      'A callback URL is signed with a key that is never shown, and redacted in records and logs.',
      'docs/operating.md: Security',
    ],
  },
  'Hostile input and bounded work': {
    'bad-input-is-no-5xx': [
      'Random and hostile requests never get a 5xx or a secret.',
      'docs/operating.md: How it is tested',
    ],
    'bounded-expressions': [
      'The work of an evaluation is limited by counted steps, regular expressions included, never by time.',
      'docs/workflow-format.md: One, several or no items',
    ],
    'code-is-isolated': [
      'Code in a workflow has no network, file, environment or timer, and keeps nothing for the next run; its steps and memory are limited.',
      "docs/code-node.md: What it can't do",
    ],
    'data-is-never-code': ['Received data is never evaluated as code.', 'docs/operating.md: Security'],
    'private-addresses-refused': [
      'Nodes are refused private, loopback, link-local and metadata addresses, also on every redirect.',
      'docs/operating.md: Security',
    ],
    'signatures-over-received-bytes': [
      'A signature is verified over the bytes as received; a request without a valid one starts nothing.',
      'docs/webhooks.md: Signatures',
    ],
    'unknown-webhooks-look-alike': [
      'A 404 does not reveal which workflows exist: any reason has the same answer and costs the same calls.',
      'docs/webhooks.md: Which workflows exist',
    ],
    'no-script-from-answers': [
      'No script in an answer runs in the origin of the service.',
      'docs/webhooks.md: What a browser shows',
    ],
    'rates-are-exact': [
      'The limit of `rateLimit` is exact across all processes; a request above it starts nothing.',
      'docs/webhooks.md: Rate limit',
    ],
  },
  'Who may do what': {
    'admin-needs-iam': [
      'Admin routes require IAM; webhooks and callback URLs alone are open.',
      'docs/operating.md: Security',
    ],
    'least-permissions': [
      'Each function has its own role and only the permissions it needs.',
      'docs/operating.md: Deploy',
    ],
    'policies-limit-people': [
      'Readers only read, and see no callback URLs; operators and authors change only what their policy allows.',
      'docs/deploying.md: Policies',
    ],
    'read-only-console': [
      'With `--read-only`, the console refuses every request that changes something, whatever your permissions.',
      'docs/console.md: Open it',
    ],
    'no-edit-overwritten': [
      'If somebody else changes a workflow in the meantime, nothing is overwritten.',
      'docs/teams.md: Working in a team',
    ],
  },
  Cost: {
    'waits-cost-nothing': [
      'A durable run waits for up to a year, without a process and at no cost.',
      'docs/workflow-format.md: Background runs',
    ],
    'off-costs-nothing': [
      'Features are off by default: the code of one is loaded by the first request to a webhook that uses it.',
      'docs/webhooks.md: Features',
    ],
    'extras-off-by-default': [
      'Alarms, a dashboard, tracing, an event bus and a key of your own cost extra: a stage has them only if a parameter asks for them.',
      'docs/deploying.md: Parameters',
    ],
  },
  'Data and upgrades': {
    'upgrades-read-old-data': [
      'A release reads the listed versions of stored data, and refuses all others: it neither runs nor overwrites what it does not know.',
      'docs/stored-data.md: Stored data and upgrades',
    ],
    'deployments-refused-first': [
      'A release that can’t read the stage’s data is not deployed: it says so before it changes anything.',
      'docs/deploying.md: Upgrade',
    ],
    'migrates-beside-runs': [
      '`migrate` can run while the service runs, and can be interrupted and repeated.',
      'docs/stored-data.md: Migrating',
    ],
    'data-outlives-the-stack': [
      'The tables and the bucket remain when the stack is deleted.',
      'docs/operating.md: Deploy',
    ],
    'kept-as-long-as-needed': [
      'A record is kept for `RETENTION_DAYS` after the end, and no object expires that it or an open run refers to.',
      'docs/operating.md: What is kept, and for how long',
    ],
  },
};
