import type { AwsAnswer } from './aws-caller.ts';

/** The type of error in an answer of AWS, such as `ResourceNotFoundException`; empty without one. */
export const errorTypeOf = ({ headers, body }: AwsAnswer): string => {
  const header = headers.get('x-amzn-errortype');
  if (header !== null) return nameOf(header);
  try {
    const { __type, Type } = JSON.parse(Buffer.from(body).toString());
    return typeof __type === 'string' ? nameOf(__type) : typeof Type === 'string' ? Type : '';
  } catch {
    return '';
  }
};

/** The name in `com.amazonaws.lambda#TooManyRequestsException:http://…`. */
const nameOf = (text: string): string => text.split(':')[0]?.split('#').at(-1) ?? '';

/** The cause of an error of ours, for the log alone. */
export const toCause = (answer: AwsAnswer): Error =>
  new Error(`AWS answered ${answer.status} ${errorTypeOf(answer)}`);

export const isSuccess = ({ status }: AwsAnswer): boolean => status >= 200 && status < 300;
