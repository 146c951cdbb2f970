import { AppError, type ErrorParameters } from './errors.ts';
import { outboundCatalogue } from './outbound-catalogue.ts';

type OutboundCode = keyof typeof outboundCatalogue;

/** Creates an error of a request that a node sends out, or of a file. @param cause - for the log only */
export const outboundError = <Code extends OutboundCode>(
  code: Code,
  parameters: ErrorParameters<Code>,
  cause?: unknown,
): AppError<Code> => new AppError(code, parameters, cause, outboundCatalogue[code]);
