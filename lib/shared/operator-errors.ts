import { AppError, type ErrorParameters } from './errors.ts';
import { operatorCatalogue } from './operator-catalogue.ts';

type OperatorCode = keyof typeof operatorCatalogue;

/** Creates an error that only operators see. @param cause - for the log only */
export const operatorError = <Code extends OperatorCode>(
  code: Code,
  parameters: ErrorParameters<Code>,
  cause?: unknown,
): AppError<Code> => new AppError(code, parameters, cause, operatorCatalogue[code]);
