import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import { Problem } from '../api/api.ts';
import { MarkedText } from './marked-text.tsx';

interface ProblemAlertProps {
  readonly error: Error;
  /** Asks again; without it there is no button. */
  readonly onRetry?: () => unknown;
  /** What was asked for, for the name of that button. */
  readonly what?: string;
  /** Takes the problem away; without it, it stays. */
  readonly onDismiss?: () => void;
}

const MAX_ERRORS = 10;

/** What the API refused, or why it did not answer, with the id under which logs have the request. */
export const ProblemAlert = ({ error, onRetry, what, onDismiss }: ProblemAlertProps): ReactNode => {
  const instance = error instanceof Problem ? error.instance : null;
  const errors = error instanceof Problem ? error.errors : [];
  return (
    <div role="alert">
      <Alert
        type="error"
        header={error instanceof Problem ? error.title : 'This failed'}
        {...(onDismiss !== undefined && { dismissible: true, dismissAriaLabel: 'Dismiss', onDismiss })}
        action={
          onRetry !== undefined && (
            <Button
              onClick={() => void onRetry()}
              {...(what !== undefined && { ariaLabel: `Try again: ${what}` })}
            >
              Try again
            </Button>
          )
        }
      >
        <MarkedText text={error.message} />
        {errors.length > 0 && (
          <ul>
            {errors.slice(0, MAX_ERRORS).map(({ pointer, detail }) => (
              <li key={`${pointer} ${detail}`} className="any-text">
                {detail}
              </li>
            ))}
            {errors.length > MAX_ERRORS && <li>and {errors.length - MAX_ERRORS} more</li>}
          </ul>
        )}
        {instance !== null && (
          <Box variant="small" display="block">
            Request id: {instance}
          </Box>
        )}
      </Alert>
    </div>
  );
};
