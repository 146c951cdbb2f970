/**
 * Grants that the suites over a stage do not use, each with what it is for, and where that is tested. `STAGE` is the prefix of names.
 */
export const unusedGrants: Readonly<Record<string, string>> = {
  'RetryExecutionsRole dynamodb:GetItem table/STAGE-settings':
    'a workflow that reads variables: tests/functions/variables',
  'AdminBulkRetriesRole dynamodb:GetItem table/STAGE-settings':
    'a workflow that reads variables: tests/functions/variables',
  'AdminBulkRetriesRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'AdminBulkRetriesRole dynamodb:Query table/STAGE-executions/index/byTime':
    'executions of all workflows: tests/functions/admin-bulk-retries',
  'AdminBulkRetriesRole dynamodb:Query table/STAGE-executions/index/byWorkflow':
    'executions that were cancelled or succeeded: tests/functions/admin-bulk-retries',
  'AdminCredentialsRole dynamodb:BatchGetItem table/STAGE-workflows':
    'the users of a credential: tests/adapters/dynamodb/workflow-uses',
  'AdminCredentialsRole dynamodb:PutItem table/STAGE-settings':
    'notes of workflows that an earlier release stored: tests/adapters/dynamodb/workflow-uses',
  'AdminCredentialsRole dynamodb:Scan table/STAGE-credentials': 'the list: tests/functions/admin-credentials',
  'AdminCredentialsRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'AdminEditWorkflowsRole dynamodb:BatchGetItem table/STAGE-workflows':
    'the users of a workflow: tests/adapters/dynamodb/workflow-uses',
  'AdminEditWorkflowsRole dynamodb:DeleteItem table/STAGE-executions':
    'what the doctor asks for, and removes: tests/deep/stage-doctor',
  'AdminEditWorkflowsRole dynamodb:DeleteItem table/STAGE-workflow-versions':
    'what the doctor asks for, and removes: tests/deep/stage-doctor',
  'AdminEditWorkflowsRole dynamodb:DeleteItem table/STAGE-workflows':
    'what the doctor asks for, and removes: tests/deep/stage-doctor',
  'AdminEditWorkflowsRole dynamodb:GetItem table/STAGE-deliveries':
    'listening to the next request: tests/functions/listening',
  'AdminEditWorkflowsRole dynamodb:PutItem table/STAGE-deliveries':
    'listening to the next request: tests/functions/listening',
  'AdminEditWorkflowsRole dynamodb:Query table/STAGE-executions/index/byWorkflow':
    'what the doctor asks for, and removes: tests/deep/stage-doctor',
  'AdminEditWorkflowsRole dynamodb:Query table/STAGE-workflow-versions':
    'what the doctor asks for, and removes: tests/deep/stage-doctor',
  'AdminEditWorkflowsRole dynamodb:Scan table/STAGE-credentials':
    'what a credential that is missing could be called: tests/functions/admin-edit-workflows',
  'AdminEditWorkflowsRole dynamodb:UpdateItem table/STAGE-workflows':
    'listening to the next request: tests/functions/listening',
  'AdminEditWorkflowsRole lambda:UpdateEventSourceMapping event-source-mapping:*':
    'a mapping that a crash has left behind: tests/triggers/registrations',
  'AdminEditWorkflowsRole scheduler:UpdateSchedule schedule/STAGE/*':
    'a schedule that a crash has left behind: tests/triggers/registrations',
  'AdminEditWorkflowsRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'AdminExecutionRole dynamodb:Query table/STAGE-registrations/index/byNodeType':
    'a read that finds a caller run without a process ends it, and reports it: tests/executions/lifecycle',
  'AdminExecutionRole dynamodb:UpdateItem table/STAGE-executions':
    'a read that finds a caller run without a process ends it, and reports it: tests/executions/lifecycle',
  'AdminExecutionRole lambda:InvokeFunction function:STAGE-dispatch':
    'a read that finds a caller run without a process ends it, and reports it: tests/executions/lifecycle',
  'AdminHealthRole dynamodb:GetItem table/STAGE-executions':
    'what the doctor asks for, and removes: tests/deep/stage-doctor',
  'AdminHealthRole dynamodb:Query table/STAGE-executions/index/bySweep':
    'what the doctor asks for, and removes: tests/deep/stage-doctor',
  'AdminHealthRole lambda:StopDurableExecution function:STAGE-runDurable:*':
    'a ping of the durable function that does not end: tests/health',
  'AdminHealthRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'AdminHealthRole ssm:GetParameter parameter/STAGE/credentials/*':
    'versions that were deployed before read one parameter at a time: serverless.yml',
  'AdminHealthRole dynamodb:UpdateItem table/STAGE-credentials':
    'the end of a refresh token: tests/deep/stage-credentials',
  'AdminHealthRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'AdminHealthRole sts:AssumeRole role/STAGE/*':
    'a credential of the type awsRole: tests/nodes/credential-types',
  'AdminRetryExecutionRole dynamodb:DeleteItem table/STAGE-executions':
    'an execution whose dispatch is refused is taken back: tests/executions/lifecycle',
  'AdminRetryExecutionRole dynamodb:GetItem table/STAGE-settings':
    'a workflow that reads variables: tests/functions/variables',
  'AdminRetryExecutionRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'AdminRetryExecutionRole s3:GetObject BUCKET/executions/*':
    'an edited input of a large original: tests/functions/admin-executions',
  'AdminRetryExecutionRole s3:ListBucket BUCKET':
    'makes the answer to a blob that has expired a 404: tests/adapters/blobs',
  'AdminRetryExecutionRole s3:PutObject BUCKET/executions/*':
    'an edited input that is larger than a record: tests/functions/admin-executions',
  'AdminRunWorkflowRole dynamodb:DeleteItem table/STAGE-executions':
    'an execution whose dispatch is refused is taken back: tests/executions/lifecycle',
  'AdminRunWorkflowRole dynamodb:GetItem table/STAGE-settings':
    'a workflow that reads variables: tests/functions/variables',
  'AdminRunWorkflowRole dynamodb:UpdateItem table/STAGE-executions':
    'an execution that is held or published late: tests/executions/lifecycle',
  'AdminRunWorkflowRole s3:GetObject BUCKET/executions/*':
    'a large result that the caller waits for: tests/executions',
  'AdminRunWorkflowRole s3:ListBucket BUCKET':
    'makes the answer to a blob that has expired a 404: tests/adapters/blobs',
  'AdminSendAgainRole dynamodb:DeleteItem table/STAGE-executions':
    'an execution whose dispatch is refused is taken back: tests/executions/lifecycle',
  'AdminSendAgainRole dynamodb:GetItem table/STAGE-executions':
    'an execution that was accepted before: tests/webhooks/requests',
  'AdminSendAgainRole dynamodb:GetItem table/STAGE-settings':
    'a workflow that reads variables: tests/functions/variables',
  'AdminSendAgainRole lambda:InvokeFunction function:STAGE-runDurable:durable':
    'the same call as that of the other roles, for a durable workflow: tests/executions/lifecycle',
  'AdminSettingsRole events:DeleteRule rule/*/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminSettingsRole events:DeleteRule rule/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminSettingsRole events:PutRule rule/*/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminSettingsRole events:PutRule rule/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminSettingsRole events:PutTargets rule/*/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminSettingsRole events:PutTargets rule/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminSettingsRole events:RemoveTargets rule/*/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminSettingsRole events:RemoveTargets rule/STAGE.*':
    'an event trigger that reads a variable: tests/triggers/registrations',
  'AdminEditWorkflowsRole events:DeleteRule rule/*/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminEditWorkflowsRole events:DeleteRule rule/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminEditWorkflowsRole events:RemoveTargets rule/*/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminEditWorkflowsRole events:RemoveTargets rule/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminSettingsRole events:DeleteRule rule/*/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminSettingsRole events:DeleteRule rule/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminSettingsRole events:RemoveTargets rule/*/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminSettingsRole events:RemoveTargets rule/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'SweepRegistrationsRole events:DeleteRule rule/*/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'SweepRegistrationsRole events:DeleteRule rule/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'SweepRegistrationsRole events:RemoveTargets rule/*/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'SweepRegistrationsRole events:RemoveTargets rule/STAGE-???????????????????????????????????????????':
    'a rule of a release before 0.3: tests/triggers/types/rule-names',
  'AdminSettingsRole lambda:CreateEventSourceMapping *':
    'a queue trigger that reads a variable: tests/functions/variables',
  'AdminSettingsRole lambda:DeleteEventSourceMapping event-source-mapping:*':
    'a queue trigger that reads a variable: tests/functions/variables',
  'AdminSettingsRole lambda:ListEventSourceMappings *':
    'a queue trigger that reads a variable: tests/functions/variables',
  'AdminSettingsRole lambda:UpdateEventSourceMapping event-source-mapping:*':
    'a queue trigger that reads a variable: tests/functions/variables',
  'AdminSettingsRole scheduler:UpdateSchedule schedule/STAGE/*':
    'a schedule that a crash has left behind: tests/triggers/registrations',
  'AdminSettingsRole sqs:GetQueueUrl *': 'a queue trigger that reads a variable: tests/functions/variables',
  'AdminTryNodeRole dynamodb:GetItem table/STAGE-executions':
    'a start whose answer is lost: tests/deep/lost-answers-of-stores',
  'AdminTryNodeRole dynamodb:GetItem table/STAGE-workflow-versions':
    'a subworkflow of an older version: tests/executions/lifecycle',
  'AdminTryNodeRole s3:AbortMultipartUpload BUCKET/executions/*':
    'a file that breaks off after its first part: tests/adapters/blobs',
  'AdminTryNodeRole s3:ListBucket BUCKET':
    'makes the answer to a blob that has expired a 404: tests/adapters/blobs',
  'AdminTryNodeRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'AdminTryNodeRole dynamodb:UpdateItem table/STAGE-credentials':
    'the end of a refresh token: tests/deep/stage-credentials',
  'AdminTryNodeRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'AggregateRole dynamodb:GetItem table/STAGE-notices':
    'a workflow with a limit of cost: tests/functions/cost-limit',
  'AggregateRole dynamodb:GetItem table/STAGE-workflows':
    'a workflow with a limit of cost: tests/functions/cost-limit',
  'AggregateRole dynamodb:Query table/STAGE-notices':
    'a workflow with a limit of cost: tests/functions/cost-limit',
  'AggregateRole dynamodb:Query table/STAGE-registrations/index/byNodeType':
    'a workflow with a limit of cost: tests/functions/cost-limit',
  'AggregateRole dynamodb:Query table/STAGE-statistics':
    'a workflow with a limit of cost: tests/functions/cost-limit',
  'AggregateRole dynamodb:UpdateItem table/STAGE-notices':
    'a workflow with a limit of cost: tests/functions/cost-limit',
  'AggregateRole dynamodb:UpdateItem table/STAGE-workflows':
    'a workflow with a limit of cost: tests/functions/cost-limit',
  'SweepRegistrationsRole dynamodb:GetItem table/STAGE-deliveries':
    'a sweep that finds silence, or an expiry: tests/functions/silence',
  'SweepRegistrationsRole dynamodb:GetItem table/STAGE-notices':
    'a sweep that finds silence, or an expiry: tests/functions/silence',
  'SweepRegistrationsRole dynamodb:GetItem table/STAGE-state':
    'a sweep that finds silence, or an expiry: tests/functions/silence',
  'SweepRegistrationsRole dynamodb:Query table/STAGE-notices':
    'a sweep that finds silence, or an expiry: tests/functions/silence',
  'SweepRegistrationsRole dynamodb:Query table/STAGE-registrations/index/byNodeType':
    'a sweep that finds silence, or an expiry: tests/functions/silence',
  'SweepRegistrationsRole dynamodb:UpdateItem table/STAGE-notices':
    'a sweep that finds silence, or an expiry: tests/functions/silence',
  'SweepRegistrationsRole events:DescribeRule rule/*/STAGE.*':
    'a sweep that finds silence, or an expiry: tests/functions/silence',
  'DispatchRole dynamodb:GetItem table/STAGE-deliveries':
    'a delivery that is claimed twice: tests/executions/deliveries',
  'DispatchRole dynamodb:GetItem table/STAGE-settings':
    'a workflow that reads variables: tests/functions/variables',
  'DispatchRole dynamodb:UpdateItem table/STAGE-executions':
    'an execution that is held or published late: tests/executions/lifecycle',
  'DispatchRole lambda:InvokeFunction function:STAGE-runDurable:durable':
    'the same call as that of the other roles, for a durable workflow: tests/executions/lifecycle',
  'RetryExecutionsRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'RetryExecutionsRole lambda:InvokeFunction function:STAGE-retryExecutions':
    'a bulk retry that takes longer than an invocation: tests/functions/admin-bulk-retries',
  'RunDurableRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'RunDurableRole lambda:GetDurableExecutionState function:STAGE-runDurable:*':
    'a journal that is larger than an event: tests/adapters/durable',
  'RunDurableRole s3:AbortMultipartUpload BUCKET/executions/*':
    'a file that breaks off after its first part: tests/adapters/blobs',
  'RunDurableRole s3:DeleteObjectTagging BUCKET/executions/*':
    'a retry that keeps the files of its original: tests/executions/files',
  'RunDurableRole s3:ListBucket BUCKET':
    'makes the answer to a blob that has expired a 404: tests/adapters/blobs',
  'RunDurableRole s3:PutObjectTagging BUCKET/executions/*':
    'files of a run that has ended: tests/executions/files',
  'RunDurableRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'RunDurableRole ssm:GetParameter parameter/STAGE/credentials/*':
    'versions that were deployed before read one parameter at a time: serverless.yml',
  'RunDurableRole dynamodb:UpdateItem table/STAGE-credentials':
    'the end of a refresh token: tests/deep/stage-credentials',
  'RunDurableRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'RunExpressRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'RunExpressRole lambda:InvokeFunction function:STAGE-sweep':
    'an execution that ends while others are held: tests/executions/held',
  'RunExpressRole s3:AbortMultipartUpload BUCKET/executions/*':
    'a file that breaks off after its first part: tests/adapters/blobs',
  'RunExpressRole s3:DeleteObject BUCKET/executions/*':
    'a large request of a run that was held: tests/executions/files',
  'RunExpressRole s3:DeleteObjectTagging BUCKET/executions/*':
    'a retry that keeps the files of its original: tests/executions/files',
  'RunExpressRole s3:ListBucket BUCKET':
    'makes the answer to a blob that has expired a 404: tests/adapters/blobs',
  'RunExpressRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'RunExpressRole ssm:GetParameter parameter/STAGE/credentials/*':
    'versions that were deployed before read one parameter at a time: serverless.yml',
  'RunExpressRole dynamodb:UpdateItem table/STAGE-credentials':
    'the end of a refresh token: tests/deep/stage-credentials',
  'RunExpressRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'SchedulerRole sqs:SendMessage STAGE-trigger-dead-letters':
    'an event that Lambda refuses at its door, as while the function is throttled: not on this machine',
  'SweepRegistrationsRole lambda:UpdateEventSourceMapping event-source-mapping:*':
    'a trigger that changes in place: tests/triggers/registrations',
  'SweepRegistrationsRole scheduler:UpdateSchedule schedule/STAGE/*':
    'a trigger that changes in place: tests/triggers/registrations',
  'SweepRole dynamodb:GetItem table/STAGE-settings':
    'a workflow that reads variables: tests/functions/variables',
  'SweepRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'SweepRole lambda:GetDurableExecution function:STAGE-runDurable:*':
    'an execution whose lease has run out: tests/executions/lifecycle',
  'SweepRole lambda:StopDurableExecution function:STAGE-runDurable:*':
    'an execution whose lease has run out: tests/executions/lifecycle',
  'TriggerDeadLetterQueuePolicy sqs:SendMessage STAGE-trigger-dead-letters':
    'an event that Lambda refuses at its door, as while the function is throttled: not on this machine',
  'WebhookCallbackRole lambda:GetDurableExecutionHistory function:STAGE-runDurable:*':
    'an answer that comes a second time: tests/approvals',
  'WebhookRole dynamodb:DeleteItem table/STAGE-executions':
    'an execution whose dispatch is refused is taken back: tests/executions/lifecycle',
  'WebhookRole dynamodb:GetItem table/STAGE-requests':
    'a put whose answer is lost: tests/deep/lost-answers-of-stores',
  'WebhookRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'WebhookRole s3:AbortMultipartUpload BUCKET/executions/*':
    'a file that breaks off after its first part: tests/adapters/blobs',
  'WebhookRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'WebhookRole ssm:GetParameter parameter/STAGE/credentials/*':
    'versions that were deployed before read one parameter at a time: serverless.yml',
  'WebhookRole dynamodb:UpdateItem table/STAGE-credentials':
    'the end of a refresh token: tests/deep/stage-credentials',
  'WebhookRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'author execute-api:Invoke API/*/GET/api/admin/credentials': '`pull` and `deploy`: tests/scripts/policies',
  'author execute-api:Invoke API/*/GET/api/admin/variables*': 'reading variables: tests/scripts/policies',
  'function:STAGE-dispatch lambda:InvokeFunction function:STAGE-dispatch':
    'events on a bus other than the default one',
  'operator execute-api:Invoke API/*/DELETE/api/admin/credentials/*':
    'the commands for credentials: tests/scripts/policies',
  'operator execute-api:Invoke API/*/PUT/api/admin/credentials/*':
    'the commands for credentials: tests/scripts/policies',
  'reader cloudformation:DescribeStacks stack/STAGE/*': 'a reader: tests/scripts/policies',
  'reader execute-api:Invoke API/*/GET/api/admin/*': 'a reader: tests/scripts/policies',
  'author execute-api:Invoke API/*/POST/api/admin/workflows/options':
    'options of a parameter, which a plugin asks another service for',
  'author execute-api:Invoke API/*/POST/api/admin/workflows/*/listening':
    'listening to the next request: tests/cli/request',
  'AdminStateRole s3:ListBucket BUCKET':
    'makes the answer to a value that is missing a 404: tests/adapters/blobs',
  'AdminTryNodeRole s3:GetObject BUCKET/state/*': 'a large value of state of a trial: tests/state',
  'AdminTryNodeRole s3:PutObject BUCKET/state/*': 'a large value of state of a trial: tests/state',
  'WebhookRole s3:GetObject BUCKET/state/*': 'a large value of state: tests/state',
  'SweepRole dynamodb:DeleteItem table/STAGE-state': 'large values of state, once a day: tests/state',
  'SweepRole dynamodb:GetItem table/STAGE-state': 'large values of state, once a day: tests/state',
  'SweepRole dynamodb:PutItem table/STAGE-state': 'large values of state, once a day: tests/state',
  'SweepRole dynamodb:Query table/STAGE-state': 'large values of state, once a day: tests/state',
  'SweepRole s3:DeleteObject BUCKET/state/*': 'large values of state, once a day: tests/state',
  'AdminTryNodeRole dynamodb:GetItem table/STAGE-state': 'state of a trial: tests/functions/admin-try-node',
  'AdminTryNodeRole dynamodb:PutItem table/STAGE-state': 'state of a trial: tests/functions/admin-try-node',
  'AdminTryNodeRole dynamodb:Query table/STAGE-state': 'state of a trial: tests/functions/admin-try-node',
  'RunDurableRole dynamodb:Query table/STAGE-state': 'state in a background run: tests/state',
  'RunExpressRole dynamodb:Query table/STAGE-state': 'state in a background run: tests/state',
  'function:STAGE-sweep lambda:InvokeFunction function:STAGE-sweep':
    'the schedule of a day, longer than the suites: tests/functions/sweep-values',
  'WebhookRole dynamodb:Query table/STAGE-state': 'the operation list of state: tests/nodes/state',
  'AdminHealthRole dynamodb:PutItem table/STAGE-deliveries':
    'a refresh token that is used: tests/deep/stage-credentials',
  'AdminTryNodeRole dynamodb:GetItem table/STAGE-deliveries':
    'a refresh token that is used: tests/deep/stage-credentials',
  'AdminTryNodeRole dynamodb:PutItem table/STAGE-deliveries':
    'a refresh token that is used: tests/deep/stage-credentials',
  'AdminTryNodeRole dynamodb:UpdateItem table/STAGE-deliveries':
    'limits on calls out: tests/deep/call-limits',
  'RunDurableRole dynamodb:GetItem table/STAGE-deliveries':
    'a refresh token that is used: tests/deep/stage-credentials',
  'RunDurableRole dynamodb:PutItem table/STAGE-deliveries':
    'a refresh token that is used: tests/deep/stage-credentials',
  'RunDurableRole dynamodb:UpdateItem table/STAGE-deliveries': 'limits on calls out: tests/deep/call-limits',
  'RunExpressRole dynamodb:GetItem table/STAGE-deliveries':
    'a refresh token that is used: tests/deep/stage-credentials',
  'RunExpressRole dynamodb:PutItem table/STAGE-deliveries':
    'a refresh token that is used: tests/deep/stage-credentials',
  'RunExpressRole dynamodb:UpdateItem table/STAGE-deliveries': 'limits on calls out: tests/deep/call-limits',
};

/** Grants that the suites use or not, as the machine is quick, each with when they do, and where it is tested. */
export const usedAtTimes: Readonly<Record<string, string>> = {
  'AdminHealthRole lambda:GetDurableExecutionHistory function:STAGE-runDurable:*':
    'a durable ping that has not been answered when it is first looked at: tests/adapters/aws',
};
