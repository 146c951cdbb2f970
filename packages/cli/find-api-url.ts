import { type AwsCallerOptions, createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { isSuccess } from '../../lib/adapters/aws/aws-error.ts';
import { CommandError } from './command-error.ts';

/** The address of the API can't be read; the cause is AWS's error. */
export class ApiUnfound extends Error {
  constructor(stackName: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The stack ${stackName} can't be read: ${reason}. Name the API with --url URL, or ask for cloudformation:DescribeStacks.`,
      { cause },
    );
  }
}

/** The output of the stack with the address of the webhooks, which has the origin of the API. */
const OUTPUT = 'WebhookUrl';

/**
 * Finds the origin of a stage's API in the outputs of its stack.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
 *
 * @param stackName - such as `hookloom-production`
 * @throws ApiUnfound if AWS refuses the call or there is no such stack
 * @throws CommandError if the stack lacks the output
 */
export const findApiUrl = async (
  stackName: string,
  options: Pick<AwsCallerOptions, 'region' | 'readCredentials'>,
): Promise<string> => {
  const call = createAwsCaller({ service: 'cloudformation', endpoint: null, timeouts: TIMEOUTS, ...options });
  const form = new URLSearchParams({ Action: 'DescribeStacks', Version: '2010-05-15', StackName: stackName });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await call({ method: 'POST', path: '/', headers, body: form.toString() }).catch((cause) => {
    throw new ApiUnfound(stackName, cause);
  });
  const text = answer.body.toString();
  if (!isSuccess(answer)) throw new ApiUnfound(stackName, toStackError(answer.status, text, stackName));
  const { parseXml } = await import('@hookloom/bounded-xml');
  const parsed = parseXml(text, new Set(['member'])) as unknown as Described;
  const stack = parsed.DescribeStacksResponse?.DescribeStacksResult?.Stacks?.member?.[0];
  const output = stack?.Outputs?.member?.find(({ OutputKey }) => OutputKey === OUTPUT);
  if (output === undefined)
    throw new CommandError(`The stack ${stackName} has no output ${OUTPUT}: name the API with --url URL.`);
  return new URL(output.OutputValue).origin;
};

const TIMEOUTS = { connectMs: 2_000, exchangeMs: 10_000 };

interface Described {
  readonly DescribeStacksResponse?: {
    readonly DescribeStacksResult?: {
      readonly Stacks?: {
        readonly member?: readonly {
          readonly Outputs?: {
            readonly member?: readonly { readonly OutputKey: string; readonly OutputValue: string }[];
          };
        }[];
      };
    };
  };
}

/** An unknown stack is a ValidationError: `Stack with id hookloom-x does not exist`. */
const toStackError = (status: number, text: string, stackName: string): Error => {
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? '';
  const message = /<Message>([^<]{1,1000})<\/Message>/.exec(text)?.[1] ?? '';
  if (/does not exist/.test(message))
    return new Error(`Requested resource not found: the stack ${stackName}`);
  return new Error(`AWS answered ${status} ${code}: ${message}`);
};
