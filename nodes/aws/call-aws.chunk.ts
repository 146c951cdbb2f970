import type { JsonObject, LentCredential, NodeContext } from '@hookloom/plugin-kit';
import type { AwsParameters } from './aws-parameters.ts';
import { closeStreams, readOutput } from './read-output.ts';
import { toSdkInput } from './to-sdk-input.ts';

/** The client's timeout is later than the node's, so that the node's message is shown. */
const TIMEOUT_MARGIN_MS = 1_000;

/** Makes the call. Its output is delivered as JSON, with files for streams. */
export const callAws = async (
  parameters: AwsParameters,
  credential: LentCredential | null,
  { services, signal, remainingMs }: NodeContext,
): Promise<JsonObject> => {
  const { service, operation, region, maxOutputBytes } = parameters;
  const output = await services.aws.send({
    service,
    operation,
    input: await toSdkInput(parameters.input, services.files),
    ...(region === undefined ? {} : { region }),
    timeoutMs: remainingMs() + TIMEOUT_MARGIN_MS,
    maxOutputBytes,
    signal,
    ...(credential === null ? {} : { credential }),
  });
  try {
    return await readOutput(parameters, output, services.files);
  } finally {
    closeStreams(output);
  }
};
