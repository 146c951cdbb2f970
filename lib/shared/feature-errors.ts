import { AppError, type ErrorParameters } from './errors.ts';
import { featureCatalogue } from './feature-catalogue.ts';

type FeatureCode = keyof typeof featureCatalogue;

/** Creates an error of a feature. @param cause - for the log only */
export const featureError = <Code extends FeatureCode>(
  code: Code,
  parameters: ErrorParameters<Code>,
  cause?: unknown,
): AppError<Code> => new AppError(code, parameters, cause, featureCatalogue[code]);
