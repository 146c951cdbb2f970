/**
 * Grants that the suites over a stage do not use, each with what it is for, and where that is tested. `STAGE` is the prefix of names.
 */
export const unusedGrants: Readonly<Record<string, string>> = {
  'AdminEditWorkflowsRole dynamodb:Scan table/STAGE-credentials':
    'what a credential that is missing could be called: tests/functions/admin-edit-workflows',
  'AdminEditWorkflowsRole dynamodb:Scan table/STAGE-workflows/index/summaries':
    'what a subworkflow that is missing could be called: tests/cli/workflow',
  'AdminEditWorkflowsRole lambda:UpdateEventSourceMapping event-source-mapping:*':
    'a mapping that a crash has left behind: tests/registrations',
  'AdminEditWorkflowsRole scheduler:UpdateSchedule schedule/STAGE/*':
    'a schedule that a crash has left behind: tests/registrations',
  'AdminEditWorkflowsRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'AdminExecutionRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/functions/admin',
  'AdminExecutionRole dynamodb:Query table/STAGE-registrations/index/byNodeType':
    'a read that finds a caller run without a process ends it, and reports it: tests/executions/lifecycle',
  'AdminExecutionRole dynamodb:UpdateItem table/STAGE-executions':
    'a read that finds a caller run without a process ends it, and reports it: tests/executions/lifecycle',
  'AdminExecutionRole lambda:InvokeFunction function:STAGE-dispatch':
    'a read that finds a caller run without a process ends it, and reports it: tests/executions/lifecycle',
  'AdminExecutionsRole dynamodb:GetItem table/STAGE-deliveries':
    'filters by key, and pages that end within an index: tests/functions/admin',
  'AdminExecutionsRole dynamodb:GetItem table/STAGE-workflows':
    'filters by key, and pages that end within an index: tests/functions/admin',
  'AdminHealthRole lambda:StopDurableExecution function:STAGE-runDurable:*':
    'a ping of the durable function that does not end: tests/health',
  'AdminHealthRole secretsmanager:GetSecretValue secret:STAGE/*':
    "a credential that is bound to a secret of the owner's: tests/adapters/secrets",
  'AdminHealthRole ssm:GetParameter parameter/STAGE/credentials/*':
    'versions that were deployed before read one parameter at a time: serverless.yml',
  'AdminHealthRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'AdminHealthRole sts:AssumeRole role/STAGE/*':
    'a credential of the type awsRole: tests/nodes/credential-types',
  'AdminRetryExecutionRole dynamodb:DeleteItem table/STAGE-executions':
    'an execution whose dispatch is refused is taken back: tests/executions/lifecycle',
  'AdminRetryExecutionRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'AdminRunWorkflowRole dynamodb:DeleteItem table/STAGE-executions':
    'an execution whose dispatch is refused is taken back: tests/executions/lifecycle',
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
  'AdminSendAgainRole lambda:InvokeFunction function:STAGE-runDurable:durable':
    'the same call as that of the other roles, for a durable workflow: tests/executions/lifecycle',
  'DispatchRole dynamodb:GetItem table/STAGE-deliveries':
    'a delivery that is claimed twice: tests/deliveries',
  'DispatchRole dynamodb:UpdateItem table/STAGE-executions':
    'an execution that is held or published late: tests/executions/lifecycle',
  'DispatchRole lambda:InvokeFunction function:STAGE-runDurable:durable':
    'the same call as that of the other roles, for a durable workflow: tests/executions/lifecycle',
  'DispatchRole s3:PutObject BUCKET/executions/*': 'an event that is larger than a record: tests/triggers',
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
  'RunExpressRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'SchedulerRole sqs:SendMessage STAGE-trigger-dead-letters':
    'an event that Lambda refuses at its door, as while the function is throttled: not on this machine',
  'SweepRegistrationsRole lambda:UpdateEventSourceMapping event-source-mapping:*':
    'a trigger that changes in place: tests/registrations',
  'SweepRegistrationsRole scheduler:UpdateSchedule schedule/STAGE/*':
    'a trigger that changes in place: tests/registrations',
  'SweepRole dynamodb:GetItem table/STAGE-workflow-versions':
    'an execution that began with an older version: tests/executions/lifecycle',
  'SweepRole lambda:GetDurableExecution function:STAGE-runDurable:*':
    'an execution whose lease has run out: tests/executions/lifecycle',
  'SweepRole lambda:InvokeFunction function:STAGE-dispatch':
    'an execution whose lease has run out: tests/executions/lifecycle',
  'SweepRole lambda:StopDurableExecution function:STAGE-runDurable:*':
    'an execution whose lease has run out: tests/executions/lifecycle',
  'TriggerDeadLetterQueuePolicy sqs:SendMessage STAGE-trigger-dead-letters':
    'an event that Lambda refuses at its door, as while the function is throttled: not on this machine',
  'WebhookCallbackRole lambda:GetDurableExecutionHistory function:STAGE-runDurable:*':
    'an answer that comes a second time: tests/callbacks',
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
  'WebhookRole ssm:PutParameter parameter/STAGE/credentials/*':
    'a server that replaces a refresh token: tests/credentials/outbound',
  'function:STAGE-dispatch lambda:InvokeFunction function:STAGE-dispatch':
    'events on a bus other than the default one',
  'operator dynamodb:DeleteItem table/STAGE-executions':
    'an execution whose dispatch is refused is taken back: tests/executions/lifecycle',
  'operator lambda:InvokeFunction function:STAGE-runDurable:durable':
    'the same call as that of the other roles, for a durable workflow: tests/executions/lifecycle',
  'operator lambda:InvokeFunction function:STAGE-sweep':
    'an execution that is cancelled while others are held: tests/executions',
};
