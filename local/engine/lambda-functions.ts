/** A function as named in a Lambda API request. */
export interface LambdaFunction {
  /** Its key in serverless.yml. */
  readonly key: string;
  readonly isDurable: boolean;
  /** The ARN with the version or alias of the request. */
  readonly invokedArn: string;
  /** The only invocation type that it accepts; any if absent. */
  readonly takes?: 'RequestResponse';
}

/**
 * Finds the function for a name, a partial ARN or an ARN, each with or without a version or alias.
 *
 * @throws EngineError when Lambda would refuse it
 */
export type FindLambdaFunction = (name: string, qualifier: string | null) => LambdaFunction;

/** The functions that the local service invokes asynchronously. */
const ASYNC_FUNCTIONS = ['runExpress', 'dispatch', 'sweep'];

/** The functions of the local service: all can be invoked synchronously, and asynchronously those that the service itself invokes that way. */
export const findLocalFunction: FindLambdaFunction = (name) => {
  const isDurable = /runDurable:durable$/.test(name);
  const key = isDurable ? 'runDurable' : (name.split(/\W/).at(-1) ?? name);
  const invokedArn = `arn:aws:lambda:local:000000000000:function:${isDurable ? 'runDurable:durable' : key}`;
  if (isDurable || ASYNC_FUNCTIONS.includes(key)) return { key, isDurable, invokedArn };
  return { key, isDurable, invokedArn, takes: 'RequestResponse' };
};
