import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { readSources } from './support/import-graph.ts';

/**
 * Who may call `JSON.parse` and `tryJson`, and why. Data that comes from outside is parsed by `parseJson` of the kit, and
 * request bodies by `parseJsonBody`: they keep the digits of integers that a number can't hold.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'is a door, or what a door is made of': [
    'packages/plugin-kit/contract/json.ts',
    'lib/http/parse-json-body.ts',
    'lib/shared/refuse-big-numbers.ts', // to compare with what the door gave
    'lib/shared/try-json.ts',
    'packages/counted-jsonata/src/functions/step-functions.ts', // unless the caller brings a parser
    'packages/metered-quickjs/src/sandbox-program.ts',
  ],
  'gives the door a text that it has made exact': [
    'lib/webhooks/features/signature/read-request.ts',
    'packages/authoring/sign-in.ts',
  ],
  'reads what the service or its sandbox has written: a double of its own must stay one': [
    'packages/cli/admin-api.ts',
    'packages/console/src/api/api.ts',
    'lib/adapters/aws/lambda-ping.ts',
    'lib/adapters/aws/lambda-durable-service.ts',
    'lib/adapters/durable/durable-steps.ts',
    'lib/adapters/durable/journal-reader.ts',
    'lib/adapters/dynamodb/attributes.ts',
    'lib/adapters/dynamodb/workflows/workflow-store.ts',
    'lib/adapters/runtime/logger.ts',
    'lib/app/state.ts', // a cursor
    'lib/app/sweep-handler.ts',
    'lib/app/triggers/failed-run-data.ts',
    'lib/app/triggers/run-poll.ts',
    'lib/approvals/pages.chunk.ts',
    'lib/engine/checkpoint-journal.ts',
    'lib/engine/credentials.ts',
    'lib/executions/bulk/plan-bulk-retry.ts',
    'lib/executions/lifecycle/load-background-run.ts',
    'lib/executions/lifecycle/prepare-trial.ts',
    'lib/executions/lifecycle/check-journal.ts',
    'lib/executions/lifecycle/retry-execution.ts',
    'lib/executions/record/cursor.ts',
    'lib/executions/record/edited-input.ts',
    'lib/shared/json-start.ts',
    'lib/state/large-values.ts',
    'lib/webhooks/features/upload/upload-id.ts',
    'lib/webhooks/read-result.ts',
    'packages/cdk/index.ts',
    'packages/bounded-schema/src/find-mistakes.ts',
    'packages/bounded-schema/src/find-schema-fault.ts',
    'packages/metered-quickjs/src/code-errors.ts',
    'packages/metered-quickjs/src/prepared-quickjs.ts',
    'packages/metered-quickjs/src/run-code.ts',
    'packages/plugin-kit/testing/run-node.ts',
    'packages/console/serve/build-console.ts',
    'packages/console/serve/sign-ins.ts',
    'packages/console/src/parts/page-settings.ts',
    'packages/console/src/views/credentials/credential-fields.tsx',
    'packages/console/src/views/editor/kept-draft.ts',
    'packages/console/src/views/editor/trial/kept-data.ts',
    'packages/console/src/views/reference/schema-fields.ts',
    'packages/cli/folder-commands.ts',
    'packages/cli/local/local-service.ts',
    'packages/cli/project-commands.ts',
    'packages/cli/run.ts',
    'packages/authoring/reference/print-node-type.ts',
  ],
  'reads fields of an AWS API, or keys, which have no such numbers': [
    'packages/cli/console-commands.ts',
    'packages/cli/doctor/ask-aws.ts',
    'packages/cli/doctor/ask-functions.ts',
    'lib/adapters/aws/aws-error.ts',
    'lib/adapters/durable/lambda-checkpoint-client.ts',
    'lib/adapters/dynamodb/json-client.ts',
    'lib/adapters/events/event-bus.chunk.ts',
    'lib/adapters/secrets/call-json.ts',
    'lib/credentials/outbound/secret-parts.ts',
    'lib/credentials/signing-keys.ts',
    'lib/webhooks/features/body/parse-multipart.ts', // names of charsets
    'lib/webhooks/features/signature/jwt.ts',
  ],
  'reads a workflow or a part of it, whose check reports such numbers': [
    'packages/authoring/validation/references/check-texts.ts',
    'packages/authoring/validation/schema/check-schema.ts',
    'packages/cli/parse-json.ts',
    'packages/console/src/parts/parse-json.ts',
    'packages/console/src/views/workflow/run-input.ts',
    'lib/webhooks/features/handshake/custom.ts',
  ],
  'reads a number as a number: of a sample, for its types; of a command, unless it would lose digits': [
    'packages/console/src/views/editor/start/body-schema.ts',
    'packages/console/src/views/editor/start/curl-command.ts',
  ],
  'reads one escaped character': ['packages/linear-regex/src/parse-pattern.ts'],
  'reads what a test expects of a request': ['packages/plugin-kit/testing/fake-http.ts'],
};

const PARSES = /\bJSON\.parse\b|\btryJson\(/;
const COMMENTS = /^\s*(?:\/?\*|\/\/).*$|\s\/\/ .*$/gm;

test('whoever parses JSON of others goes through the one door', () => {
  const folders = ['packages', 'nodes', 'lib', 'functions'];
  const found = Object.entries(readSources(resolve(import.meta.dirname, '..'), folders))
    .filter(
      ([file, text]) =>
        !/^packages\/(?:[^/]+\/tests|lambda-stage|local)\//.test(file) && // these two are on this machine alone
        PARSES.test(text.replaceAll(COMMENTS, '')),
    )
    .map(([file]) => file);
  expect(found.toSorted()).toEqual(Object.values(allowed).flat().toSorted());
});
