import type { AwsAnswer } from './aws-caller.ts';

/** The name of the error that an answer of AWS is about, such as `ResourceNotFoundException`; `` when it has none. */
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

/** `com.amazonaws.lambda#TooManyRequestsException:http://…` names it in the middle. */
const nameOf = (text: string): string => text.split(':')[0]?.split('#').at(-1) ?? '';

/** What only the log sees. */
export const toCause = (answer: AwsAnswer): Error =>
  new Error(`AWS answered ${answer.status} ${errorTypeOf(answer)}`);

export const isDone = ({ status }: AwsAnswer): boolean => status >= 200 && status < 300;
